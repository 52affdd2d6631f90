// Operands of a run.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "core/data/tensor.h"

namespace tessera {

// Tensors for the operands and results of one device, by buffer name; results are written into
// them. Shapes and dtypes must match the program's buffers in storage order: a buffer of order (1,
// 0) is bound as stored.
using Binding = std::map<std::string, Tensor*, std::less<>>;

}  // namespace tessera
