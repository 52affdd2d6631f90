// Matrix products on strided tiles. The only user of the library that computes them is
// tile_math.cpp.
#pragma once
#include <cstdint>

#include "interp/tiles/math.h"
#include "interp/tiles/matrix.h"

namespace tessera::math {

// acc += a . b; acc, which overlaps neither, is f32 for floats and i32 for integers, or f32 for i8:
// then their sums, without error in i32, are rounded to f32 and added. On one thread,
// with no state that an earlier product could have changed: the same operands give the same bits in
// the same process and machine. Math::exact adds the products in ascending k, rounding each product
// and each sum: the same bits on every machine. i32 wraps.
void multiply_add(const Matrix& acc, const Matrix& a, const Matrix& b, Math math);

// Lets the library generate its code for products of that type and shape, which it otherwise does
// in the first one.
void prepare(DType acc, DType operand, std::int64_t m, std::int64_t k, std::int64_t n);

// Which instructions Math::library has here for operands of that type, e.g. "avx512_core_bf16";
// empty: none of its own, operands are converted (floats) or multiplied in integer loops.
const char* native_instructions(DType dtype);

}  // namespace tessera::math
