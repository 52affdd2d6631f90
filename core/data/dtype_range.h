// Ranges of element types, and accumulator types.
#pragma once
#include "core/data/dtype.h"

namespace tessera {

// Returns the largest finite number of the type. Exact in double, except for i64: 2^63.
double largest_finite(DType dtype);

// Returns the wider of two integer types; i64 for two types of the same width, one signed and one
// unsigned. Both must be integer types (unchecked).
DType wider_integer(DType a, DType b);

// Returns the accumulator type of a matmul with `dtype` operands and sums stored as `stored`: i32
// if both are integers, else f32, so that sums stored as floats do not wrap before the conversion.
DType accumulator(DType dtype, DType stored);

// Returns an integer sum as i32 stores it: wrapped modulo 2^32 to [-2^31, 2^31), like matrix units
// and XLA. Exact for sums below 2^53. inf and NaN are returned unchanged.
double wrapped_i32(double sum);

}  // namespace tessera
