// Check, before any allocation, that operands and other device memory fit into host memory.
#pragma once
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/report/diag.h"

namespace tessera::cli {

struct TensorSize {
  DType dtype;
  Shape shape;
  int copies = 1;  // number of devices with this tensor
};

// Returns one error, or none if the tensors fit: an input error if one has more than 2^40 elements,
// else ErrorCode::environment if together they exceed the memory available to this process.
Diags check_host_memory(const std::vector<TensorSize>& tensors);

}  // namespace tessera::cli
