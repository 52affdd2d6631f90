// The text of one matrix instruction, for a header that the templates include.
#pragma once
#include <string>

#include "core/dtype.h"

namespace tessera::cuda {

// wgmma.mma_async m64 x columns x k16 with both operands in shared memory, sums in f32.
std::string wgmma_code(DType operand, int columns, bool left_k_major, bool right_k_major);

}  // namespace tessera::cuda
