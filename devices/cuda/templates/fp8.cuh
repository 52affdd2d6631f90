// Conversion between one-byte elements and floats with integer arithmetic: machines before 8.9 have
// no instruction for it. Stores round to nearest even and saturate to the largest number.
#pragma once
#include "devices/cuda/templates/base.cuh"

namespace tessera::cuda {

template <int mantissa_bits, int exponent_bias, u32 largest_code, u32 nan_code>
struct Fp8 {
  static constexpr int mantissa = mantissa_bits, bias = exponent_bias;
  static constexpr u32 largest = largest_code, nan = nan_code;
};
using E4m3 = Fp8<3, 7, 0x7E, 0x7F>;  // no infinities
using E5m2 = Fp8<2, 15, 0x7B, 0x7F>;

// Bits of the float with the value of an fp8 code.
template <class Format>
TESSERA_BOTH u32 widened(u32 code) {
  static_assert(Format::bias == 7 || Format::bias == 15, "say here what codes are inf and NaN");
  const u32 sign = (code & 0x80) << 24, magnitude = code & 0x7F;
  const u32 exponent = magnitude >> Format::mantissa;
  u32 fraction = magnitude & ((1u << Format::mantissa) - 1);
  if (Format::bias == 7 ? magnitude == 0x7F : exponent == 31 && fraction != 0)
    return sign | 0x7FC00000;
  if (Format::bias == 15 && exponent == 31) return sign | 0x7F800000;
  u32 wide = exponent + 127 - Format::bias;
  if (exponent == 0) {
    if (fraction == 0) return sign;
    ++wide;
    while (fraction >> Format::mantissa == 0) {
      fraction <<= 1;
      --wide;
    }
    fraction &= (1u << Format::mantissa) - 1;
  }
  return sign | wide << 23 | fraction << (23 - Format::mantissa);
}

template <class Format>
TESSERA_BOTH u32 narrowed(u32 bits) {
  constexpr int shift = 23 - Format::mantissa;
  const u32 sign = bits >> 24 & 0x80, magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return Format::nan;
  const u32 exponent = magnitude >> 23;
  u32 significand = magnitude, places = shift, base = (127u - Format::bias) << Format::mantissa;
  if (exponent <= 127 - Format::bias) {  // below the smallest normal number
    const u32 below = 128 - Format::bias - exponent;
    if (exponent == 0 || below > Format::mantissa + 1) return sign;
    significand = (magnitude & 0x7FFFFF) | 0x800000;
    places = shift + below;
    base = 0;
  }
  const u32 odd = significand >> places & 1;
  const u32 code = ((significand + (1u << (places - 1)) - 1 + odd) >> places) - base;
  return sign | (code > Format::largest ? Format::largest : code);
}

}  // namespace tessera::cuda
