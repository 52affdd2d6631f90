// Where the elements of a buffer lie: logical boxes to runs of consecutive elements in storage
// order.
#pragma once
#include <array>
#include <cstdint>

#include "core/program/program.h"
#include "interp/memory/view.h"

namespace tessera {

struct Layout {
  explicit Layout(const Buffer& buffer);

  int rank = 0;
  std::int64_t elements = 1;
  Index shape{};
  Index stride{};                             // elements, by logical dimension
  std::array<std::int8_t, max_rank> order{};  // logical dimensions, outermost in memory first

  Box whole() const;
  // The first dimension with a negative size, or in which elements of the box are outside the
  // shape; else -1. A box without elements has no place, so it is never outside.
  int outside(const Box& box) const;
  std::int64_t offset(const Index& index) const;
  Index index(std::int64_t offset) const;  // the inverse
  // Sizes and strides of the kept dimensions; data and initialisation are the caller's.
  TileView view(const Box& box, DType dtype) const;

  // Calls f(offset, length) for the maximal runs of the box, in storage order.
  template <typename F>
  void for_each_run(const Box& box, F&& f) const;
};

// The extents of an operand's tensor: those of the buffer, dimensions in storage order.
Shape stored_shape(const Buffer& buffer);
// Whether the elements lie row-major, one after the other.
bool is_dense(const TileView& view);

template <typename F>
void Layout::for_each_run(const Box& box, F&& f) const {
  if (box.empty()) return;
  std::int64_t length = 1;
  int outer = rank;  // order[outer ..] lie inside one run
  while (outer > 0) {
    const auto d = static_cast<std::size_t>(order[static_cast<std::size_t>(outer - 1)]);
    length *= box.size[d];
    --outer;
    if (box.size[d] != shape[d]) break;
  }
  while (outer > 0 &&
         box.size[static_cast<std::size_t>(order[static_cast<std::size_t>(outer - 1)])] == 1)
    --outer;
  Index at{};
  std::int64_t position = offset(box.start);
  for (;;) {
    f(position, length);
    int level = outer - 1;
    for (; level >= 0; --level) {
      const auto d = static_cast<std::size_t>(order[static_cast<std::size_t>(level)]);
      position += stride[d];
      if (++at[d] < box.size[d]) break;
      position -= at[d] * stride[d];
      at[d] = 0;
    }
    if (level < 0) return;
  }
}

}  // namespace tessera
