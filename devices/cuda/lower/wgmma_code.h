// Code for one matrix instruction, for a header that the templates include.
#pragma once
#include <string>

#include "core/data/dtype.h"

namespace tessera::cuda {

// Both bf16, both f16, or each e4m3 or e5m2. The latter must be contiguous along k.
struct ProductTypes {
  DType left = DType::bf16, right = DType::bf16;
  bool left_k_major = true, right_k_major = true;
};

// Returns the text of wgmma.cuh: product(), one wgmma.mma_async m64 x columns x 32 bytes along k,
// both operands in shared memory, sums in f32; and first_product() for one-byte types, which
// overwrites the sums. columns: a multiple of 8 up to 256.
std::string wgmma_code(const ProductTypes& types, int columns);

}  // namespace tessera::cuda
