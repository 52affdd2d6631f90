// The operands of a run.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "core/data/tensor.h"

namespace tessera {

// The operands of one device by name; results are written into the tensors given for them. Shapes
// and dtypes must be those of the program's buffers (storage order included: a buffer of order (1,
// 0) is bound as stored).
using Binding = std::map<std::string, Tensor*, std::less<>>;

}  // namespace tessera
