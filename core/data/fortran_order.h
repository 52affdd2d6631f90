// Arrays in Fortran order: the first index is contiguous in memory.
#pragma once
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// Returns the array in C order. `source` has the array's shape, with its elements in Fortran order.
// Fails if there is not enough memory.
Expected<Tensor> from_fortran_order(const Tensor& source);

}  // namespace tessera
