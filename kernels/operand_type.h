// The type in which operands of two types are multiplied.
#pragma once
#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "core/tensor.h"

namespace tessera {

// The narrowest type of the kernels (bf16, f16, f32, i8) that holds every value of both, if they
// can be multiplied.
std::optional<DType> common_operand(DType a, DType b);

// The same for the CUDA kernels of gmm: e4m3 and e5m2 stay as they are where both operands are of
// the same one, contiguous along the contraction (`transpose_rhs`) and made of whole 16 bytes along
// it.
std::optional<DType> common_device_operand(DType a, DType b, bool transpose_rhs, std::int64_t k);

// The same values in a type that holds them all.
Tensor converted(const Tensor& tensor, DType dtype);

}  // namespace tessera
