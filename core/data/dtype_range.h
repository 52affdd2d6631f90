// What element types hold: their largest numbers, and the type in which sums are kept.
#pragma once
#include "core/data/dtype.h"

namespace tessera {

// The largest finite number; exact in double but for i64's, which is 2^63 there.
double largest_finite(DType dtype);

// The wider of two integer types; i64 for two of one width, of which one has a sign.
DType wider_integer(DType a, DType b);

// The type in which a matmul of `dtype` operands accumulates where its sums are stored as `stored`:
// i32 for integers of integers alone, so that what becomes a float does not wrap on the way.
DType accumulator(DType dtype, DType stored);

// A sum of integers as i32 holds it: modulo 2^32, as matrix units and XLA have it. Exact below
// 2^53.
double wrapped_i32(double sum);

}  // namespace tessera
