// The text of one matrix instruction, for a header that the templates include.
#pragma once
#include <string>

#include "core/data/dtype.h"

namespace tessera::cuda {

// Both of bf16 or f16, or each e4m3 or e5m2: these are contiguous along k.
struct ProductTypes {
  DType left = DType::bf16, right = DType::bf16;
  bool left_k_major = true, right_k_major = true;
};

// wgmma.mma_async m64 x columns x 32 bytes along k, both operands in shared memory, sums in f32.
std::string wgmma_code(const ProductTypes& types, int columns);

}  // namespace tessera::cuda
