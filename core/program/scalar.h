// 64-bit wrapping scalar arithmetic of the IR, shared by constant folding and the interpreter.
#pragma once
#include <bit>
#include <cstdint>

namespace tessera::scalar {

using i64 = std::int64_t;
using u64 = std::uint64_t;

constexpr i64 add(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b));
}
constexpr i64 sub(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b));
}
constexpr i64 mul(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b));
}
// Returns floor(a / b), or 0 if b is 0. b = -1 is computed as a negation, which also covers the
// only quotient that overflows.
constexpr i64 div(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return sub(0, a);
  const i64 q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
// Returns a - b * floor(a / b), or 0 if b is 0.
constexpr i64 mod(i64 a, i64 b) {
  if (b == 0 || b == -1) return 0;
  const i64 r = a % b;
  return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}
// Returns a / b truncated towards zero, or 0 if b is 0.
constexpr i64 quotient(i64 a, i64 b) {
  if (b == 0) return 0;
  return b == -1 ? sub(0, a) : a / b;
}
// Returns the remainder of quotient(), which has the sign of a, or 0 if b is 0.
constexpr i64 remainder(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
// Returns ceil(a / b), or 0 if b is 0.
constexpr i64 tiles(i64 a, i64 b) { return sub(0, div(sub(0, a), b)); }
constexpr i64 min(i64 a, i64 b) { return a < b ? a : b; }
constexpr i64 max(i64 a, i64 b) { return a < b ? b : a; }
// Returns the number of 1 bits of |a|.
constexpr i64 popcount(i64 a) {
  return std::popcount(a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a));
}

// Return `a` shifted by `b` bits, in the integer type T. Bits that are shifted out are lost. A
// negative shift, or one of at least the width, shifts out all bits. A right shift fills in the
// sign, or 0 for unsigned types.
template <typename T>
constexpr T shift_left(T a, i64 b) {
  if (b < 0 || b >= 8 * static_cast<i64>(sizeof(T))) return 0;
  return static_cast<T>(static_cast<u64>(a) << b);
}
template <typename T>
constexpr T shift_right(T a, i64 b) {
  if (b < 0 || b >= 8 * static_cast<i64>(sizeof(T))) return static_cast<T>(a < 0 ? -1 : 0);
  return static_cast<T>(a >> b);
}

}  // namespace tessera::scalar
