// Operands and other device memory that this machine cannot hold are an error before they are made.
#pragma once
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/report/diag.h"

namespace tessera::cli {

struct TensorSize {
  DType dtype;
  Shape shape;
  int copies = 1;  // one for each device
};

// An environment error when all of them together are larger than what the process may have; bad
// input when one has more than 2^40 elements.
Diags check_host_memory(const std::vector<TensorSize>& tensors);

}  // namespace tessera::cli
