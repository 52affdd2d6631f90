// Ops of integers alone, and what cuts off towards zero or to the low bits.
#include <array>
#include <cmath>

#include "interp/tiles/integer_range.h"
#include "interp/tiles/tile_ops.h"
#include "interp/tiles/tile_ops_init.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

template <typename T>
std::int64_t value_of(IntegerBinary op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case IntegerBinary::mod:
      return scalar::mod(a, b);
    case IntegerBinary::quotient:
      return scalar::quotient(a, b);
    case IntegerBinary::remainder:
      return scalar::remainder(a, b);
    case IntegerBinary::bit_and:
      return a & b;
    case IntegerBinary::bit_or:
      return a | b;
    case IntegerBinary::bit_xor:
      return a ^ b;
    case IntegerBinary::shift_left:
      return scalar::shift_left(static_cast<T>(a), b);
    case IntegerBinary::shift_right:
      break;
  }
  return scalar::shift_right(static_cast<T>(a), b);
}

}  // namespace

void integers(IntegerBinary op, const TileView& dst, const TileView& a, const TileView& b,
              const Context& context) {
  const bool shifts = op == IntegerBinary::shift_left || op == IntegerBinary::shift_right;
  const DType type = shifts && !a.is_number ? a.dtype : integer_type(a, b);
  if (context.math != Math::none) {
    with_integer(type, [&](auto zero) {
      using T = decltype(zero);
      map<std::int64_t>(dst, std::array{Source(a, dst), Source(b, dst)},
                        [op](std::int64_t x, std::int64_t y) -> std::int64_t {
                          return static_cast<T>(value_of<T>(op, x, y));
                        });
    });
  }
  record(dst, {&a, &b}, context);
}

void truncate(const TileView& dst, const TileView& src, const Context& context) {
  if (context.math != Math::none) {
    const std::array<Source, 1> source{Source(src, dst)};
    if (is_float(src.dtype)) {
      map<float>(dst, source, [](float x) { return std::trunc(x); });
    } else {
      with_integer(dst.dtype, [&](auto zero) {
        map<std::int64_t>(dst, source, [](std::int64_t x) -> std::int64_t {
          return static_cast<decltype(zero)>(x);
        });
      });
    }
  }
  record(dst, {&src}, context);
}

}  // namespace tessera::tile
