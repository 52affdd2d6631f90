// Rectangles of a buffer, and strided windows on the bytes behind them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/data/dtype.h"
#include "core/program/op.h"

namespace tessera {

using Index = std::array<std::int64_t, max_rank>;

// A resolved slice: `size[d]` elements from `start[d]`, logical dimensions. Dropped dimensions have
// size 1 and are not part of the shape of a view.
struct Box {
  std::int8_t rank = 0;
  std::uint8_t dropped = 0;
  Index start{};
  Index size{};

  std::int64_t end(int d) const { return start[at(d)] + size[at(d)]; }
  bool keeps(int d) const { return (dropped >> d & 1) == 0; }
  std::int64_t elements() const;  // 1 for rank 0
  bool empty() const { return elements() == 0; }
  bool operator==(const Box&) const = default;
  static std::size_t at(int d) { return static_cast<std::size_t>(d); }
};

bool same_rectangle(const Box& a, const Box& b);    // whatever is dropped
bool contains(const Box& outer, const Box& inner);  // an empty inner is in every outer
bool intersects(const Box& a, const Box& b);
// The box of one element.
Box element(const Box& box, const Index& index);
// Of boxes that meet.
Box intersection(const Box& a, const Box& b);
// Where a part of `from` lies in `to`, which has the same kept sizes.
Box counterpart(const Box& part, const Box& from, const Box& to);
// Whether the dimensions that they keep have the same sizes.
bool same_kept_sizes(const Box& a, const Box& b);
// Of a part of `from` and of `to`, which has as many elements, row by row, in any shape: rectangles
// of both that hold the same elements, in order.
std::vector<std::pair<Box, Box>> counterparts(const Box& part, const Box& from, const Box& to);
// The rectangles that together hold the elements [begin, end) of a box, row-major, in that order.
std::vector<Box> rectangles(const Box& box, std::int64_t begin, std::int64_t end);

class Initialisation;  // interp/memory/initialisation.h

// Elements in memory, or one number that stands for every element. `size` and `stride` (in
// elements) are those of the kept dimensions of `box`. Valid until the next call that changes its
// storage.
struct TileView {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  std::int8_t rank = 0;
  bool is_number = false;  // i64 or f32 by dtype; rank 0
  std::int64_t integer = 0;
  float real = 0;
  Index size{};
  Index stride{};
  const std::uint64_t* init = nullptr;  // null: every element is initialised
  std::int64_t init_at =
      0;  // the bit of the element at `data`; one `o` elements on has bit init_at + o
  Initialisation* owner = nullptr;  // null: plain memory or a number
  Box box;                          // of the owner

  static TileView of(std::int64_t integer);
  static TileView of(float real);

  bool initialised() const { return init == nullptr; }
  bool initialised_at(std::int64_t offset) const {
    return init == nullptr || (init[(init_at + offset) >> 6] >> ((init_at + offset) & 63) & 1) != 0;
  }
  std::int64_t elements() const;
  // Element `i` along the only dimension (rank 1), or the only element (rank 0), as an integer.
  std::int64_t integer_at(std::int64_t i) const;
  // The same for writing; false, and nothing written, when the element type cannot hold `value`.
  bool set_integer_at(std::int64_t i, std::int64_t value) const;
};

// One element at `p` as an integer: floats rounded to nearest even, saturating.
std::int64_t load_integer(const std::byte* p, DType dtype);
// False, and nothing written, when an integer type cannot hold `value`.
bool store_integer(std::byte* p, DType dtype, std::int64_t value);

// dst = src, element by element; same dtype and sizes, no overlap.
void copy_elements(const TileView& dst, const TileView& src);
// `length` elements along the last dimension from the element at `position` (row-major).
TileView stretch(const TileView& view, std::int64_t position, std::int64_t length);
// The index of the element at `position` (row-major over the box).
Index index_in(const Box& box, std::int64_t position);
// And back: where the element at the index stands in the box.
std::int64_t position_in(const Box& box, const Index& index);
// The same sizes, row-major at `data`; initialised and nobody's.
TileView compact(std::byte* data, const TileView& like);

}  // namespace tessera
