// Layout of a buffer: maps logical boxes to runs of consecutive elements in storage order.
#pragma once
#include <array>
#include <cstdint>

#include "core/program/program.h"
#include "interp/memory/view.h"

namespace tessera {

struct Layout {
  explicit Layout(const Buffer& buffer);  // the rank must be at most max_rank

  int rank = 0;
  std::int64_t elements = 1;
  Index shape{};
  Index stride{};                             // in elements, by logical dimension
  std::array<std::int8_t, max_rank> order{};  // logical dimensions, outermost in memory first

  Box whole() const;
  // Returns the first dimension in which the size is negative; else the first in which elements of
  // the box are outside the shape; else -1. A box without elements is never outside.
  int outside(const Box& box) const;
  std::int64_t offset(const Index& index) const;  // position in storage order, in elements
  Index index(std::int64_t offset) const;         // inverse of offset()
  // Returns a view with the sizes and strides of the kept dimensions. The caller sets data and
  // initialisation.
  TileView view(const Box& box, DType dtype) const;

  // Calls f(offset, length) for the maximal runs of the box, in storage order.
  template <typename F>
  void for_each_run(const Box& box, F&& f) const;
};

// Shape of an operand's tensor: the extents of the buffer, in storage order.
Shape stored_shape(const Buffer& buffer);
// True if the elements are contiguous and row-major.
bool is_dense(const TileView& view);

template <typename F>
void Layout::for_each_run(const Box& box, F&& f) const {
  if (box.empty()) return;
  std::int64_t length = 1;
  int outer = rank;  // order[outer ..] are inside one run
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
