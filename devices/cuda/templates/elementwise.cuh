// Functions for epilogue expressions, in addition to the arithmetic of C++.
#pragma once
#include "devices/cuda/templates/fp8.cuh"
#include "devices/cuda/templates/ptx.cuh"

namespace tessera::cuda {

TESSERA_DEVICE float load_f32(float x) { return x; }
TESSERA_DEVICE float load_bf16(unsigned short x) {
  return ptx::bits_to_float(static_cast<u32>(x) << 16);
}
TESSERA_DEVICE float load_f16(unsigned short x) { return ptx::f16_to_float(x); }
TESSERA_DEVICE float load_e4m3(unsigned char x) { return ptx::bits_to_float(widened<E4m3>(x)); }
TESSERA_DEVICE float load_e5m2(unsigned char x) { return ptx::bits_to_float(widened<E5m2>(x)); }
// A power of two; 255 is NaN.
TESSERA_DEVICE float load_e8m0(unsigned char x) {
  return ptx::bits_to_float(x == 255 ? 0x7FC00000u
                            : x == 0 ? 0x00400000u
                                     : static_cast<u32>(x) << 23);
}
TESSERA_DEVICE unsigned char store_e4m3(float x) {
  return static_cast<unsigned char>(narrowed<E4m3>(ptx::float_to_bits(x)));
}
TESSERA_DEVICE unsigned char store_e5m2(float x) {
  return static_cast<unsigned char>(narrowed<E5m2>(ptx::float_to_bits(x)));
}

// Converts to T, an integer type of at most 32 bits, with saturation.
template <typename T>
TESSERA_DEVICE T saturated(i64 x) {
  constexpr bool has_sign = static_cast<T>(-1) < static_cast<T>(0);
  constexpr int digits = 8 * static_cast<int>(sizeof(T)) - (has_sign ? 1 : 0);
  constexpr i64 end = i64(1) << digits, begin = has_sign ? -end : 0;
  return static_cast<T>(x < begin ? begin : x >= end ? end - 1 : x);
}
// Rounds towards zero and clamps to the range of i64; 0 for NaN.
TESSERA_DEVICE i64 whole_of(float x) {
  constexpr float end = 9.0e18f;
  return x != x ? 0 : static_cast<i64>(x < -end ? -end : x > end ? end : x);
}

TESSERA_DEVICE float infinity() { return ptx::bits_to_float(0x7F800000u); }

// minimum and maximum of IEEE 754-2019 (core/data/extremum.h).
TESSERA_DEVICE bool has_minus_sign(float x) { return (ptx::float_to_bits(x) >> 31) != 0; }
TESSERA_DEVICE float lesser(float a, float b) {
  if (a == b) return has_minus_sign(a) ? a : b;
  return a != a ? a : b != b ? b : a < b ? a : b;
}
TESSERA_DEVICE float greater(float a, float b) {
  if (a == b) return has_minus_sign(a) ? b : a;
  return a != a ? a : b != b ? b : a < b ? b : a;
}

TESSERA_DEVICE float logistic_of(float x) { return 1.0f / (1.0f + expf(-x)); }
TESSERA_DEVICE float sign_of(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; }
// Comparisons with NaN are false.
TESSERA_DEVICE float finite_of(float x) {
  return x >= -3.4028235e+38f && x <= 3.4028235e+38f ? 1.0f : 0.0f;
}

}  // namespace tessera::cuda
