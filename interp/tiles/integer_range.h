// The type in which integers of tile ops wrap, and minimum and maximum of two numbers.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "core/data/dtype_range.h"
#include "core/data/extremum.h"
#include "core/program/scalar.h"
#include "interp/memory/view.h"

namespace tessera::tile {

inline float lesser(float a, float b) { return minimum(a, b); }
inline float larger(float a, float b) { return maximum(a, b); }
inline std::int64_t lesser(std::int64_t a, std::int64_t b) { return scalar::min(a, b); }
inline std::int64_t larger(std::int64_t a, std::int64_t b) { return scalar::max(a, b); }

// Returns the type in which sums, differences and products of integers are computed, modulo its
// range: the widest type among dst and the operands, or i64 if dst is a float. The result is
// therefore independent of the order; dst then saturates. Results stored as floats are rounded
// once.
inline DType integer_range(const TileView& dst, std::initializer_list<const TileView*> operands) {
  DType widest = is_float(dst.dtype) ? DType::i64 : dst.dtype;
  for (const TileView* view : operands)
    if (!view->is_number) widest = wider_integer(widest, view->dtype);
  return widest;
}

// Calls f with a zero of the integer type.
template <typename F>
void with_integer(DType range, F&& f) {
  switch (range) {
    case DType::i8:
      return f(std::int8_t{});
    case DType::u8:
      return f(std::uint8_t{});
    case DType::i16:
      return f(std::int16_t{});
    case DType::u16:
      return f(std::uint16_t{});
    case DType::i32:
      return f(std::int32_t{});
    case DType::u32:
      return f(std::uint32_t{});
    default:
      return f(std::int64_t{});
  }
}

}  // namespace tessera::tile
