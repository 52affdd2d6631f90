// The type in which operands of two types are multiplied.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"

namespace tessera {

// The narrowest type of the kernels (bf16, f16, f32, i8) that holds every value of both, if they
// can be multiplied.
std::optional<DType> common_operand(DType a, DType b);

// The names of the types that can be multiplied; the text lists them: "f32, bf16 and i8".
std::vector<std::string_view> operand_type_names();
std::string operand_types_text();

// The same values in a type that holds them all.
Tensor converted(const Tensor& tensor, DType dtype);

}  // namespace tessera
