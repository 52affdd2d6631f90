// Conversion of element arrays from one type to another, and of single elements of a type that is
// known only at run time.
//
// Float to float: as in numeric.h. Float to integer: rounds to nearest even and saturates, NaN
// becomes 0. Integer to integer: saturates. Integer to float: rounds once. To e8m0: to_e8m0()
// rounding up, which drops the sign.
#pragma once  // public
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/data/dtype.h"
#include "core/data/numeric.h"

namespace tessera {

// Converts `n` elements (at least 0). The arrays have no gaps, need no alignment and must not
// overlap. The result has the same bits on every machine.
void convert(const std::byte* src, DType from, std::byte* dst, DType to, std::int64_t n,
             Overflow overflow = Overflow::saturate);

// Convert like convert(), faster, between two types: element i of `dst` from element i of `src`.
// Both spans must have the same length (CHECK).
void f32_to_bf16(std::span<const float> src, std::span<std::uint16_t> dst);
void bf16_to_f32(std::span<const std::uint16_t> src, std::span<float> dst);
void f32_to_f16(std::span<const float> src, std::span<std::uint16_t> dst);
void f16_to_f32(std::span<const std::uint16_t> src, std::span<float> dst);

// Read or write one element as a double. An i64 beyond 2^53 is read rounded to nearest even; values
// of all other types are exact in double. A write converts as above.
double load_element(const std::byte* src, DType dtype);
void store_element(std::byte* dst, DType dtype, double value,
                   Overflow overflow = Overflow::saturate);

}  // namespace tessera
