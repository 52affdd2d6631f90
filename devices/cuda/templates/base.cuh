// Words that the templates share. They are compiled by NVRTC, which has no standard headers, and by
// the host compiler, which checks them: scheduling and addresses are the same code in both.
#pragma once

#ifdef __CUDACC__
#define TESSERA_BOTH __host__ __device__ __forceinline__
#define TESSERA_DEVICE __device__ __forceinline__
#else
#define TESSERA_BOTH inline
#define TESSERA_DEVICE inline
#endif

namespace tessera::cuda {

using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

// An error word: less the number of a statement, what that requires does not hold.
inline constexpr i64 first_refusal = -(1ll << 48);

// In an error word, an operand and an index into it: index * counted_operands + operand.
inline constexpr i64 counted_operands = 256;

// Coordinates of copies are 32 bits, and a tile may begin before this and end after it.
inline constexpr i64 max_coordinate = (1ll << 31) - (1 << 16);

// What the driver encodes a tensor map into; only its address is used on the device.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// Scalars of a program: 64 bits, division rounds down, and nothing divides by 0.
TESSERA_BOTH i64 floor_div(i64 a, i64 b) {
  if (b == 0) return 0;
  const i64 q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}
TESSERA_BOTH i64 floor_mod(i64 a, i64 b) { return b == 0 ? 0 : a - b * floor_div(a, b); }
TESSERA_BOTH i64 tiles_of(i64 a, i64 b) { return b == 0 ? 0 : -floor_div(-a, b); }
TESSERA_BOTH i64 quotient_of(i64 a, i64 b) { return b == 0 ? 0 : b == -1 ? i64(0 - u64(a)) : a / b; }
TESSERA_BOTH i64 remainder_of(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
// What leaves the type is gone; a number of places below zero or from the width on shifts all out.
template <typename T>
TESSERA_BOTH T shifted_left(T a, i64 b) {
  return b < 0 || b >= i64(8 * sizeof(T)) ? T(0) : static_cast<T>(static_cast<u64>(a) << b);
}
template <typename T>
TESSERA_BOTH T shifted_right(T a, i64 b) {
  if (b < 0 || b >= i64(8 * sizeof(T))) return static_cast<T>(a < T(0) ? -1 : 0);
  return static_cast<T>(a >> b);
}
TESSERA_BOTH i64 least(i64 a, i64 b) { return a < b ? a : b; }
TESSERA_BOTH i64 most(i64 a, i64 b) { return a < b ? b : a; }

// How many of the ascending values are <= a.
template <typename T>
TESSERA_BOTH i64 search_right(const T* sorted, i64 count, i64 a) {
  int low = 0, high = static_cast<int>(count);  // scalar memory has no more
  while (low < high) {
    const int middle = (low + high) / 2;
    if (static_cast<i64>(sorted[middle]) <= a) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace tessera::cuda
