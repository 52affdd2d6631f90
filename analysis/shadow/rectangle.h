// Index arithmetic of row-major rectangles of shadow values.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "interp/memory/view.h"

namespace tessera::shadow {

using Extents = std::vector<std::int64_t>;

// The shape of a rectangle, without its dropped dimensions.
Extents shape_of(const Box& box);
// Returns the number of elements; 1 for the empty shape.
std::int64_t elements_of(const Extents& shape);
// True if `from` can be broadcast to `to`: missing leading dimensions and dimensions of size 1 are
// repeated.
bool can_repeat(const Extents& from, const Extents& to);

// Calls f(position in `shape`, position in the rectangle, length), in elements and in ascending
// order, for each contiguous run of elements of the rectangle, which must be within `shape`. Runs
// are as long as possible. No call if the rectangle is empty.
template <typename F>
void for_each_stretch(const Extents& shape, const Box& box, F&& f) {
  if (box.empty()) return;
  int outer = box.rank;  // number of dimensions outside of a run
  std::int64_t length = 1;
  for (bool is_whole = true; is_whole && outer > 0;) {
    --outer;
    length *= box.size[Box::at(outer)];
    is_whole = box.size[Box::at(outer)] == shape[Box::at(outer)];
  }
  const std::int64_t count = box.elements() / length;
  Index at = box.start;
  for (std::int64_t stretch = 0; stretch < count; ++stretch) {
    std::int64_t offset = 0;
    for (int d = 0; d < box.rank; ++d) offset = offset * shape[Box::at(d)] + at[Box::at(d)];
    f(static_cast<std::size_t>(offset), static_cast<std::size_t>(stretch * length),
      static_cast<std::size_t>(length));
    for (int d = outer; d-- > 0;) {
      if (++at[Box::at(d)] < box.end(d)) break;
      at[Box::at(d)] = box.start[Box::at(d)];
    }
  }
}

// gathered: returns the elements of a rectangle of `all`, which has this shape. scatter: stores the
// elements of `part` there. Both are row-major and must have all elements; the rectangle must be
// within the shape.
template <typename T>
std::vector<T> gathered(const std::vector<T>& all, const Extents& shape, const Box& box) {
  std::vector<T> part;
  part.reserve(static_cast<std::size_t>(box.elements()));
  for_each_stretch(shape, box, [&](std::size_t here, std::size_t, std::size_t length) {
    const T* const from = all.data() + here;
    part.insert(part.end(), from, from + length);
  });
  return part;
}
template <typename T>
void scatter(std::vector<T>& all, const Extents& shape, const Box& box,
             const std::vector<T>& part) {
  for_each_stretch(shape, box, [&](std::size_t here, std::size_t there, std::size_t length) {
    std::copy_n(part.data() + there, length, all.data() + here);
  });
}

// Calls f(position in `to`, position in `from`) for each element of `to`, if `from` is broadcast.
// Requires can_repeat(from, to).
template <typename F>
void for_each_repeated(const Extents& from, const Extents& to, F&& f) {
  const std::size_t rank = to.size(), missing = rank - from.size();
  std::vector<std::int64_t> stride(rank, 0), at(rank, 0);
  std::int64_t step = 1;
  for (std::size_t d = rank; d-- > missing;) {
    const std::int64_t extent = from[d - missing];
    stride[d] = extent == 1 ? 0 : step;
    step *= extent;
  }
  const auto count = static_cast<std::size_t>(elements_of(to));
  std::int64_t position = 0;
  for (std::size_t i = 0; i < count; ++i) {
    f(i, static_cast<std::size_t>(position));
    for (std::size_t d = rank; d-- > 0;) {
      position += stride[d];
      if (++at[d] < to[d]) break;
      position -= to[d] * stride[d];
      at[d] = 0;
    }
  }
}

// Calls f(position in `shape`, position in `blocks`) for each element of a shape that is divided
// into equal blocks. Both must have the same rank. Each extent of `shape` must be a multiple of the
// extent of `blocks`, which must not be 0.
template <typename F>
void for_each_in_blocks(const Extents& blocks, const Extents& shape, F&& f) {
  std::vector<std::int64_t> at(shape.size(), 0);
  const auto count = static_cast<std::size_t>(elements_of(shape));
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      from = from * blocks[d] + at[d] / (shape[d] / blocks[d]);
    f(i, static_cast<std::size_t>(from));
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

// is_every: true if `to` has the shape of every `step`-th element of `from` along `dim`, from the
// first one on. step: at least 1. for_each_every: calls f(position in `to`, position in `from`) for
// these elements. Requires is_every().
bool is_every(const Extents& from, const Extents& to, std::int64_t dim, std::int64_t step);
template <typename F>
void for_each_every(const Extents& from, const Extents& to, std::int64_t dim, std::int64_t step,
                    F&& f) {
  const auto along = static_cast<std::size_t>(dim);
  std::int64_t inner = 1;
  for (std::size_t d = along + 1; d < to.size(); ++d) inner *= to[d];
  const std::int64_t row = to[along] * inner, source_row = from[along] * inner;
  for (std::int64_t i = 0, count = elements_of(to); i < count; ++i)
    f(static_cast<std::size_t>(i),
      static_cast<std::size_t>(i / row * source_row + i % row / inner * step * inner + i % inner));
}

// Return the shape, or the elements, with permuted dimensions: dimension d of the result is
// dimension order[d] of `from`. order: contains each dimension once.
Extents permuted(const Extents& from, const std::vector<int>& order);
template <typename T>
std::vector<T> permuted(const std::vector<T>& all, const Extents& from,
                        const std::vector<int>& order) {
  const Extents to = permuted(from, order);
  std::vector<std::int64_t> stride(to.size(), 1), at(to.size(), 0);
  for (std::size_t d = 0; d < to.size(); ++d)
    for (auto inner = static_cast<std::size_t>(order[d]) + 1; inner < from.size(); ++inner)
      stride[d] *= from[inner];
  std::vector<T> turned(all.size());
  std::int64_t position = 0;
  for (T& element : turned) {
    element = all[static_cast<std::size_t>(position)];
    for (std::size_t d = to.size(); d-- > 0;) {
      position += stride[d];
      if (++at[d] < to[d]) break;
      position -= to[d] * stride[d];
      at[d] = 0;
    }
  }
  return turned;
}
// Returns the permutation that exchanges the last two dimensions; no change below rank 2.
std::vector<int> last_two_exchanged(std::size_t rank);

// A shape split at one dimension, which must exist: element i of line (o, n) is at position (o *
// extent + i) * inner + n.
struct Lines {
  std::int64_t outer, extent, inner;
};
Lines lines_along(const Extents& shape, std::size_t dim);
// Returns the shape with size 1 in dimension `dim`, which must exist.
Extents reduced(Extents shape, std::size_t dim);

// Extents of a matrix product. products: number of independent products, from the leading
// dimensions.
struct ProductExtents {
  std::int64_t products, m, k, n;
};
// Returns the extents of acc + a . b: [..., m, n], [..., m, k] and [..., k, n], with equal leading
// dimensions. None if the shapes do not match or have fewer than two dimensions.
std::optional<ProductExtents> product_extents(const Extents& acc, const Extents& a,
                                              const Extents& b);

}  // namespace tessera::shadow
