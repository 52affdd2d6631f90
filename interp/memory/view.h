// Rectangles of a buffer, and strided views of their bytes.
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

// A resolved slice: `size[d]` elements from `start[d]`, in logical dimensions. Dropped dimensions
// have size 1 and are not part of the shape of a view.
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

bool same_rectangle(const Box& a, const Box& b);  // ignores dropped dimensions
// These and intersection() require boxes of equal rank.
bool contains(const Box& outer, const Box& inner);  // true for an empty `inner`
bool intersects(const Box& a, const Box& b);
// Returns the box of the element at `index` of the buffer, with the rank and the dropped dimensions
// of `box`.
Box element(const Box& box, const Index& index);
// Returns the common elements, with the dropped dimensions of `a`. Requires that the boxes
// intersect.
Box intersection(const Box& a, const Box& b);
// Returns the part of `to` that corresponds to `part` of `from`. Both boxes have the same kept
// sizes.
Box counterpart(const Box& part, const Box& from, const Box& to);
// True if the kept dimensions have the same sizes.
bool same_kept_sizes(const Box& a, const Box& b);
// Splits `part` of `from` into pairs of boxes of `from` and `to` that contain the same elements, in
// row-major order. `to` has as many elements as `from`, in any shape.
std::vector<std::pair<Box, Box>> counterparts(const Box& part, const Box& from, const Box& to);
// Returns the boxes that together contain the elements [begin, end) of `box`, row-major, in that
// order; empty if begin >= end. end: at most box.elements().
std::vector<Box> rectangles(const Box& box, std::int64_t begin, std::int64_t end);

class Initialisation;  // interp/memory/initialisation.h

// View of elements in memory, or one number that is broadcast to every element. `size` and `stride`
// (in elements) describe the kept dimensions of `box`. Valid until the next call that changes its
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
  std::int64_t init_at = 0;  // bit of the element at `data`; element offset `o` has bit init_at + o
  Initialisation* owner = nullptr;  // null: plain memory or a number
  Box box;                          // in the owner

  static TileView of(std::int64_t integer);
  static TileView of(float real);

  bool initialised() const { return init == nullptr; }
  bool initialised_at(std::int64_t offset) const {
    return init == nullptr || (init[(init_at + offset) >> 6] >> ((init_at + offset) & 63) & 1) != 0;
  }
  std::int64_t elements() const;
  // Element `i` along the only dimension (rank 1), or the only element (rank 0), as an integer.
  std::int64_t integer_at(std::int64_t i) const;
  // Writes that element. Returns false and writes nothing if the element type cannot represent
  // `value`.
  bool set_integer_at(std::int64_t i, std::int64_t value) const;
};

// Loads one element at `p` as an integer: floats are rounded to nearest even, saturating.
std::int64_t load_integer(const std::byte* p, DType dtype);
// Stores `value` at `p`, rounded to a float if dtype is one. Returns false and writes nothing if an
// integer type cannot represent it.
bool store_integer(std::byte* p, DType dtype, std::int64_t value);

// Copies src to dst, element by element. Requires the same dtype and sizes, and no overlap.
void copy_elements(const TileView& dst, const TileView& src);
// View of `length` elements along the last dimension, from the element at `position` (row-major).
// All of them must be in one row.
TileView stretch(const TileView& view, std::int64_t position, std::int64_t length);
// Index in the buffer of the element at `position` (row-major over the box, which must not be
// empty).
Index index_in(const Box& box, std::int64_t position);
// Inverse of index_in(): row-major position of the element in the box.
std::int64_t position_in(const Box& box, const Index& index);
// View with the sizes of `like`, row-major at `data`, fully initialised and without owner.
TileView compact(std::byte* data, const TileView& like);

}  // namespace tessera
