// Elements of each type in the kernels of task graphs: their storage, their value as a float or an
// integer, and the conversion of a value to storage. The rules are in core/data/convert.h: floats
// round to nearest even, integers saturate.
#pragma once
#include "devices/cuda/templates/elementwise.cuh"

namespace tessera::cuda {

// A float that rounds to each narrower format like the integer x. If x is not exactly
// representable, the last bit is set.
TESSERA_DEVICE float rounded_to_odd(i64 x) {
  const float near = static_cast<float>(x);
  // 2^63 is not an i64; values that round to it are smaller.
  const bool is_end = near >= 9.2233720368547758e18f;
  const i64 back = is_end ? x : static_cast<i64>(near);
  if (back == x && !is_end) return near;
  u32 bits = ptx::float_to_bits(near);
  const bool is_beyond = is_end || (x < 0 ? back < x : back > x);
  if (is_beyond) --bits;  // towards zero
  return ptx::bits_to_float(bits | 1);
}

// Nearest integer; 0 for NaN.
TESSERA_DEVICE i64 nearest_whole(float x) { return whole_of(rintf(x)); }

// Rounds the magnitude up to a power of two.
TESSERA_DEVICE unsigned char store_e8m0(float x) {
  const u32 magnitude = ptx::float_to_bits(x) & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 255;
  if (magnitude <= 0x00400000u) return 0;
  const u32 code = (magnitude >> 23) + ((magnitude & 0x7FFFFFu) != 0 ? 1 : 0);
  // The only value below the smallest normal number is 2^-127.
  return static_cast<unsigned char>(magnitude < 0x00800000u ? 1 : code > 254 ? 254 : code);
}

namespace type {

struct f32 {
  using stored = float;
  static TESSERA_DEVICE float load(stored x) { return x; }
  static TESSERA_DEVICE stored of(float x) { return x; }
  static TESSERA_DEVICE stored of(i64 x) { return static_cast<float>(x); }
};

template <class T>
struct Integer {
  using stored = T;
  static TESSERA_DEVICE i64 load(stored x) { return static_cast<i64>(x); }
  static TESSERA_DEVICE stored of(float x) { return of(nearest_whole(x)); }
  static TESSERA_DEVICE stored of(i64 x) { return saturated<T>(x); }
};
using i8 = Integer<signed char>;
using u8 = Integer<unsigned char>;
using i16 = Integer<short>;
using u16 = Integer<unsigned short>;
using i32 = Integer<int>;
using u32 = Integer<unsigned int>;
struct i64 {
  using stored = cuda::i64;
  static TESSERA_DEVICE cuda::i64 load(stored x) { return x; }
  static TESSERA_DEVICE stored of(float x) {
    // whole_of() clamps below the range of i64.
    return x >= 9.2233720368547758e18f    ? 0x7FFFFFFFFFFFFFFFll
           : x <= -9.2233720368547758e18f ? -0x7FFFFFFFFFFFFFFFll - 1
           : x != x                       ? 0
                                          : static_cast<cuda::i64>(rintf(x));
  }
  static TESSERA_DEVICE stored of(cuda::i64 x) { return x; }
};

#define TESSERA_FLOAT(name, storage, store)                                               \
  struct name {                                                                           \
    using stored = storage;                                                               \
    static TESSERA_DEVICE float load(stored x) { return load_##name(x); }                 \
    static TESSERA_DEVICE stored of(float x) { return static_cast<storage>(store); }      \
    static TESSERA_DEVICE stored of(cuda::i64 x) { return of(rounded_to_odd(x)); }        \
  }
TESSERA_FLOAT(bf16, unsigned short, ptx::pack_bf16(x, 0.0f));
TESSERA_FLOAT(f16, unsigned short, ptx::pack_f16(x, 0.0f));
TESSERA_FLOAT(e4m3, unsigned char, store_e4m3(x));
TESSERA_FLOAT(e5m2, unsigned char, store_e5m2(x));
TESSERA_FLOAT(e8m0, unsigned char, store_e8m0(x));
#undef TESSERA_FLOAT

}  // namespace type

}  // namespace tessera::cuda
