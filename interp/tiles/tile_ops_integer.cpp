// Integer-only ops, and truncation towards zero or to the low bits.
#include <cmath>

#include "interp/tiles/integer_range.h"
#include "interp/tiles/tile_ops.h"
#include "interp/tiles/tile_ops_init.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

template <typename T>
std::int64_t value_as(IntegerBinary op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case IntegerBinary::mod:
      return static_cast<T>(scalar::mod(a, b));
    case IntegerBinary::quotient:
      return static_cast<T>(scalar::quotient(a, b));
    case IntegerBinary::remainder:
      return static_cast<T>(scalar::remainder(a, b));
    case IntegerBinary::bit_and:
      return static_cast<T>(a & b);
    case IntegerBinary::bit_or:
      return static_cast<T>(a | b);
    case IntegerBinary::bit_xor:
      return static_cast<T>(a ^ b);
    case IntegerBinary::shift_left:
      return scalar::shift_left(static_cast<T>(a), b);
    case IntegerBinary::shift_right:
      break;
  }
  return scalar::shift_right(static_cast<T>(a), b);
}

}  // namespace

DType integer_type(IntegerBinary op, DType a, bool a_is_number, DType b, bool b_is_number) {
  if (a_is_number) return b;
  const bool shifts = op == IntegerBinary::shift_left || op == IntegerBinary::shift_right;
  return shifts || b_is_number ? a : wider_integer(a, b);
}

std::int64_t value_of(IntegerBinary op, DType type, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  with_integer(type, [&](auto zero) { value = value_as<decltype(zero)>(op, a, b); });
  return value;
}

std::int64_t low_bits(DType type, std::int64_t integer) {
  with_integer(type, [&](auto zero) { integer = static_cast<decltype(zero)>(integer); });
  return integer;
}

void integers(IntegerBinary op, const TileView& dst, const TileView& a, const TileView& b,
              const Context& context) {
  if (context.math != Math::none) {
    const std::array<Source, 2> sources{Source(a, dst), Source(b, dst)};
    with_integer(integer_type(op, a.dtype, a.is_number, b.dtype, b.is_number), [&](auto zero) {
      map<std::int64_t>(dst, sources, [op](std::int64_t x, std::int64_t y) {
        return value_as<decltype(zero)>(op, x, y);
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
