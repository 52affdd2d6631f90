// Reductions of a tile along a dimension.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/report/check.h"
#include "interp/tiles/integer_range.h"
#include "interp/tiles/tile_ops.h"
#include "interp/tiles/tile_ops_init.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

// The lowest number, or the highest if `sign` is -1.
template <typename T>
constexpr T lowest(int sign = 1) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, float>)
    return sign > 0 ? -Limits::infinity() : Limits::infinity();
  else
    return sign > 0 ? Limits::min() : Limits::max();
}

// Neutral start value of a reduction: -0 + x is x, even if x is -0. The sum of no elements is +0.
// The switches have no default, so that the compiler reports missing cases.
template <typename T>
T start_of(Reduce op, std::int64_t length) {
  switch (op) {
    case Reduce::sum:
      return length > 0 ? -T{0} : T{0};
    case Reduce::max:
      return lowest<T>();
    case Reduce::min:
      return lowest<T>(-1);
  }
  CHECK(false);
}

template <typename T>
T combine(Reduce op, T a, T b) {
  switch (op) {
    case Reduce::sum:
      if constexpr (std::is_same_v<T, float>)
        return a + b;
      else
        return scalar::add(a, b);
    case Reduce::max:
      return larger(a, b);
    case Reduce::min:
      return lesser(a, b);
  }
  CHECK(false);
}

// Converts a float to an integer with the same order, in which -0 is less than +0, and back.
std::int32_t ordered(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits ^ ((bits >> 31) & INT32_MAX);
}
float float_of(std::int32_t key) { return std::bit_cast<float>(key ^ ((key >> 31) & INT32_MAX)); }

// Maximum or minimum of `start` and n elements. The integer comparisons vectorise. NaN, which has
// no place in the order, is detected separately.
template <bool is_max>
float outermost(float start, const float* elements, std::int64_t n) {
  std::int32_t best = ordered(start), has_nan = start != start;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t key = ordered(elements[i]);
    best = (is_max ? key > best : key < best) ? key : best;
    has_nan |= elements[i] != elements[i];
  }
  return has_nan != 0 ? std::numeric_limits<float>::quiet_NaN() : float_of(best);
}

// Combines `result` with the elements of a row.
template <typename T>
T fold(Reduce op, T result, const T* row, std::int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    if (op == Reduce::max) return outermost<true>(result, row, n);
    if (op == Reduce::min) return outermost<false>(result, row, n);
  }
  for (std::int64_t i = 0; i < n; ++i) result = combine(op, result, row[i]);
  return result;
}

// Wraps integer sums to their type. A maximum or minimum of no elements saturates when it is
// stored.
template <typename T>
void wrap_sums(Reduce op, const TileView& dst, const Source& src, T* values, std::int64_t n) {
  if constexpr (!std::is_same_v<T, float>) {
    if (op != Reduce::sum) return;
    with_integer(integer_range(dst, {&src.view()}), [&](auto zero) {
      for (std::int64_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(static_cast<decltype(zero)>(values[i]));
    });
  }
}

// Reduces along the last dimension: one row of src per element.
template <typename T>
void reduce_last(Reduce op, const TileView& dst, const Source& src) {
  std::array<T, piece> row;
  const std::int64_t length = src.view().size[Box::at(dst.rank - 1)];
  for_each_piece(dst, [&](const Index& index, std::int64_t, std::int64_t) {
    T result = start_of<T>(op, length);
    for (std::int64_t begin = 0; begin < length; begin += piece) {
      const std::int64_t n = std::min(piece, length - begin);
      src.load(index, begin, n, row.data());
      result = fold(op, result, row.data(), n);
    }
    wrap_sums(op, dst, src, &result, 1);
    store(dst, index, 0, 1, &result);
  });
}

// Reduces along another dimension: combines rows of src elementwise.
template <typename T>
void reduce_across(Reduce op, int dim, const TileView& dst, const Source& src) {
  std::array<T, piece> row, result;
  const std::int64_t length = src.view().size[Box::at(dim)];
  for_each_piece(dst, [&](Index index, std::int64_t begin, std::int64_t n) {
    std::fill_n(result.begin(), n, start_of<T>(op, length));
    std::int64_t& place = index[Box::at(dim)];
    for (; place < length; ++place) {
      src.load(index, begin, n, row.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        result[i] = combine(op, result[i], row[i]);
    }
    place = 0;
    wrap_sums(op, dst, src, result.data(), n);
    store(dst, index, begin, n, result.data());
  });
}

template <typename T>
void reduce_as(Reduce op, int dim, const TileView& dst, const Source& src) {
  if (dim == dst.rank - 1)
    reduce_last<T>(op, dst, src);
  else
    reduce_across<T>(op, dim, dst, src);
}

}  // namespace

void reduce(Reduce op, int dim, const TileView& dst, const TileView& src, const Context& context) {
  CHECK(dst.rank == src.rank && dim < dst.rank && dst.size[Box::at(dim)] == 1);
  if (context.math != Math::none) {
    std::vector<std::byte> copy;
    const TileView apart = overlaps(src, dst) ? copy_of(src, copy) : src;
    const Source source(apart, apart);
    if (is_float(src.dtype))
      reduce_as<float>(op, dim, dst, source);
    else
      reduce_as<std::int64_t>(op, dim, dst, source);
  }
  record_reduce(dst, src, dim, context);
}

}  // namespace tessera::tile
