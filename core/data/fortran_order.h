// Arrays in Fortran order: the first index is contiguous in memory.
#pragma once
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// Returns the array in C order. `source` has the array's shape, with its elements in Fortran order.
// Fails with ErrorCode::environment if there is not enough memory. For a rank below 2 or without
// elements, the result is a clone(), which throws NoMemory instead.
Expected<Tensor> from_fortran_order(const Tensor& source);

}  // namespace tessera
