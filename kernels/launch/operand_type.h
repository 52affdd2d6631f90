// Common type in which operands of two types are multiplied.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"

namespace tessera {

// Returns the narrowest type of the kernels (bf16, f16, f32, i8) that represents every value of
// both types. None if they cannot be multiplied.
std::optional<DType> common_operand(DType a, DType b);

// Returns the names of the types that can be multiplied, as a list and as text: "f32, bf16 and i8".
std::vector<std::string_view> operand_type_names();
std::string operand_types_text();

// Returns a copy with the elements converted to `dtype` and rounded if necessary (convert()). Exact
// for a type from common_operand().
Tensor converted(const Tensor& tensor, DType dtype);

}  // namespace tessera
