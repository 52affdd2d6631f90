// The transpose of a matrix.
#pragma once
#include "core/data/tensor.h"

namespace tessera {

// Element [j, i] is element [i, j] of `matrix`, which has two axes.
Tensor transposed(const Tensor& matrix);

}  // namespace tessera
