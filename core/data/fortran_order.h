// Arrays whose first index runs fastest in memory.
#pragma once
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// The same array in C order; `source` has its shape, and its elements in Fortran order.
Expected<Tensor> from_fortran_order(const Tensor& source);

}  // namespace tessera
