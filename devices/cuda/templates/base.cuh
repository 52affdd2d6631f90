// Declarations shared by the templates. NVRTC compiles them without standard headers, and the host
// compiler for tests: scheduling and addresses are the same code in both.
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

// Error word of a violated requirement: first_refusal minus the number of its statement.
inline constexpr i64 first_refusal = -(1ll << 48);

// Factor in an error word for an operand and an index into it: index * counted_operands + operand.
inline constexpr i64 counted_operands = 256;

// Max coordinate of copies (32 bits); a tile may start before it and end after it.
inline constexpr i64 max_coordinate = (1ll << 31) - (1 << 16);

// Storage of a tensor map, encoded by the driver; the device only uses its address.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// Arithmetic on program scalars: 64 bits, division rounds down, division by 0 gives 0.
TESSERA_BOTH i64 floor_div(i64 a, i64 b) {
  if (b == 0) return 0;
  const i64 q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}
TESSERA_BOTH i64 floor_mod(i64 a, i64 b) { return b == 0 ? 0 : a - b * floor_div(a, b); }
TESSERA_BOTH i64 tiles_of(i64 a, i64 b) { return b == 0 ? 0 : -floor_div(-a, b); }
TESSERA_BOTH i64 quotient_of(i64 a, i64 b) { return b == 0 ? 0 : b == -1 ? i64(0 - u64(a)) : a / b; }
TESSERA_BOTH i64 remainder_of(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
// Bits shifted out of the type are lost. Counts below zero or from the width on shift out all bits.
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

// Number of values <= a in an ascending array.
template <typename T>
TESSERA_BOTH i64 search_right(const T* sorted, i64 count, i64 a) {
  int low = 0, high = static_cast<int>(count);  // int is enough for scalar memory
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
