// Reductions of a tile's rows and columns.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/report/check.h"
#include "interp/tiles/integer_range.h"
#include "interp/tiles/tile_ops.h"
#include "interp/tiles/tile_ops_init.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

template <typename T>
constexpr T lowest() {
  if constexpr (std::is_same_v<T, float>)
    return -std::numeric_limits<float>::infinity();
  else
    return std::numeric_limits<T>::min();
}

// Of no elements. The switches have no default, so that the compiler names them for a new kind.
template <typename T>
T start_of(Reduce op) {
  switch (op) {
    case Reduce::sum:
      return T{0};
    case Reduce::max:
      return lowest<T>();
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
      return b != b ? b : larger(a, b);
  }
  CHECK(false);
}

// The range of integer sums; a maximum is in it already.
template <typename T>
void wrap(const TileView& dst, const Source& src, T* values, std::int64_t n) {
  if constexpr (!std::is_same_v<T, float>) {
    with_integer(integer_range(dst, {&src.view()}), [&](auto zero) {
      for (std::int64_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(static_cast<decltype(zero)>(values[i]));
    });
  }
}

template <typename T>
void reduce_rows_as(Reduce op, const TileView& dst, const Source& src) {
  std::array<T, piece> row;
  for (Index index{}; index[0] < dst.size[0]; ++index[0]) {
    T result = start_of<T>(op);
    const std::int64_t length = src.view().size[1];
    for (std::int64_t begin = 0; begin < length; begin += piece) {
      const std::int64_t n = std::min(piece, length - begin);
      src.load(index, begin, n, row.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        result = combine(op, result, row[i]);
    }
    wrap(dst, src, &result, 1);
    store(dst, index, 0, 1, &result);
  }
}

template <typename T>
void reduce_cols_as(Reduce op, const TileView& dst, const Source& src) {
  std::array<T, piece> row, result;
  const std::int64_t width = src.view().size[1];
  for (std::int64_t begin = 0; begin < width; begin += piece) {
    const std::int64_t n = std::min(piece, width - begin);
    std::fill_n(result.begin(), n, start_of<T>(op));
    for (Index index{}; index[0] < src.view().size[0]; ++index[0]) {
      src.load(index, begin, n, row.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        result[i] = combine(op, result[i], row[i]);
    }
    wrap(dst, src, result.data(), n);
    store(dst, Index{}, begin, n, result.data());
  }
}

// Calls `reduced` with the operand, apart from the result, and an element of the type to sum in.
template <typename Reduced>
void reduce(const TileView& dst, const TileView& src, Along along, const Context& context,
            const Reduced& reduced) {
  if (context.math != Math::none) {
    std::vector<std::byte> copy;
    const TileView apart = overlaps(src, dst) ? copy_of(src, copy) : src;
    const Source source(apart, apart);
    if (is_float(src.dtype))
      reduced(source, float{});
    else
      reduced(source, std::int64_t{});
  }
  record_reduce(dst, src, along, context);
}

}  // namespace

void reduce_rows(Reduce op, const TileView& dst, const TileView& src, const Context& context) {
  CHECK(dst.rank == 2 && src.rank == 2 && dst.size[0] == src.size[0] && dst.size[1] == 1);
  reduce(dst, src, Along::rows, context,
         [&](const Source& source, auto zero) { reduce_rows_as<decltype(zero)>(op, dst, source); });
}

void reduce_cols(Reduce op, const TileView& dst, const TileView& src, const Context& context) {
  CHECK(dst.rank == 2 && src.rank == 2 && dst.size[1] == src.size[1] && dst.size[0] == 1);
  reduce(dst, src, Along::cols, context,
         [&](const Source& source, auto zero) { reduce_cols_as<decltype(zero)>(op, dst, source); });
}

}  // namespace tessera::tile
