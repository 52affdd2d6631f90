// Arrays of elements from one type to another, and single elements whose type is known at run time.
//
// Float to float is numeric.h's. Float to integer rounds to nearest even and saturates, NaN gives
// 0. Integer to integer saturates. Integer to float rounds once. To e8m0 is to_e8m0 rounding up,
// which drops the sign.
#pragma once  // public
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/data/dtype.h"
#include "core/data/numeric.h"

namespace tessera {

// Converts `n` elements; the arrays do not overlap. The same bits on every machine.
void convert(const std::byte* src, DType from, std::byte* dst, DType to, std::int64_t n,
             Overflow overflow = Overflow::saturate);

// Single pairs of types, faster: element i of `dst` from element i of `src`; both spans have one
// length.
void f32_to_bf16(std::span<const float> src, std::span<std::uint16_t> dst);
void bf16_to_f32(std::span<const std::uint16_t> src, std::span<float> dst);
void f32_to_f16(std::span<const float> src, std::span<std::uint16_t> dst);
void f16_to_f32(std::span<const std::uint16_t> src, std::span<float> dst);

// One element at an address, as a double. i64 beyond 2^53 rounds to nearest even; every other
// type's values are exact in double.
double load_element(const std::byte* src, DType dtype);
void store_element(std::byte* dst, DType dtype, double value,
                   Overflow overflow = Overflow::saturate);

}  // namespace tessera
