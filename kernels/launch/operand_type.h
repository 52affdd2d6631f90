// The type in which operands of two types are multiplied.
#pragma once
#include <optional>

#include "core/data/dtype.h"
#include "core/data/tensor.h"

namespace tessera {

// The narrowest type of the kernels (bf16, f16, f32, i8) that holds every value of both, if they
// can be multiplied.
std::optional<DType> common_operand(DType a, DType b);

// The same values in a type that holds them all.
Tensor converted(const Tensor& tensor, DType dtype);

}  // namespace tessera
