// Ops that access only registers; the dispatch loop runs them inline. X(op, its result from a, b
// and c).
#pragma once
#include "core/program/op.h"
#include "core/program/scalar.h"

#define TESSERA_SCALAR_OPS(X)            \
  X(Add, scalar::add(a, b))              \
  X(Sub, scalar::sub(a, b))              \
  X(Mul, scalar::mul(a, b))              \
  X(Div, scalar::div(a, b))              \
  X(Mod, scalar::mod(a, b))              \
  X(Tiles, scalar::tiles(a, b))          \
  X(Min, scalar::min(a, b))              \
  X(Max, scalar::max(a, b))              \
  X(And, a != 0 && b != 0)               \
  X(Or, a != 0 || b != 0)                \
  X(Not, a == 0)                         \
  X(Eq, a == b)                          \
  X(Ne, a != b)                          \
  X(Lt, a < b)                           \
  X(Le, a <= b)                          \
  X(Select, a != 0 ? b : c)              \
  X(Popcount, scalar::popcount(a))       \
  X(Quotient, scalar::quotient(a, b))    \
  X(Remainder, scalar::remainder(a, b))  \
  X(BitAnd, a& b)                        \
  X(BitOr, a | b)                        \
  X(BitXor, a ^ b)                       \
  X(BitNot, ~a)                          \
  X(ShiftLeft, scalar::shift_left(a, b)) \
  X(ShiftRight, scalar::shift_right(a, b))

namespace tessera {

template <typename T>
inline constexpr bool is_scalar_op = false;
#define IS_SCALAR_OP(Struct, result) \
  template <>                        \
  inline constexpr bool is_scalar_op<Struct> = true;
TESSERA_SCALAR_OPS(IS_SCALAR_OP)
#undef IS_SCALAR_OP

}  // namespace tessera
