// Matrix products on strided tiles. Only tile_math.cpp uses the library that computes them.
#pragma once
#include <cstdint>

#include "interp/tiles/math.h"
#include "interp/tiles/matrix.h"

namespace tessera::math {

// acc += a . b. The shapes must match. acc must not overlap a or b. Its type is f32 for floats, and
// i32 or f32 for integers. f32 with integer operands requires i8: their exact sums in i32 are
// rounded to f32 and added. i32 wraps.
// Runs on one thread without state from earlier products, so equal operands give equal bits in the
// same process and machine. Math::exact adds the products in ascending k and rounds each product
// and each sum: the same bits on every machine. Math::none has no effect. Throws NoMemory.
void multiply_add(const Matrix& acc, const Matrix& a, const Matrix& b, Math math);

// Generates the library's code for products of this type and shape, which otherwise happens in the
// first product.
void prepare(DType acc, DType operand, std::int64_t m, std::int64_t k, std::int64_t n);

// Instructions that Math::library uses on this machine for operands of this type, e.g.
// "avx512_core_bf16"; always "f32" for f32. Empty if it has none: operands are then converted
// (floats) or multiplied in integer loops.
const char* native_instructions(DType dtype);

}  // namespace tessera::math
