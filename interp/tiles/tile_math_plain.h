// Matrix products in plain loops, in ascending k.
#pragma once
#include "interp/tiles/matrix.h"

namespace tessera::math {

// Each product and each sum is rounded to f32; i32 wraps.
void multiply_add_plain(const Matrix& acc, const Matrix& a, const Matrix& b);

}  // namespace tessera::math
