// Matrix products in plain loops, in ascending k.
#pragma once
#include "interp/tiles/matrix.h"

namespace tessera::math {

// acc += a . b. acc has type f32, with each product and each sum rounded, or i32, which wraps.
void multiply_add_plain(const Matrix& acc, const Matrix& a, const Matrix& b);

}  // namespace tessera::math
