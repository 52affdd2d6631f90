// Transposition of matrices.
#pragma once
#include "core/data/tensor.h"

namespace tessera {

// Returns a tensor with element [j, i] equal to element [i, j] of `matrix`, which must have two
// axes. Throws NoMemory.
Tensor transposed(const Tensor& matrix);

}  // namespace tessera
