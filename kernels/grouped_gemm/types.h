// Element types that grouped GEMM accepts. They are the types of TransformerEngine: a type that is
// added to dtype.def is rejected until these functions accept it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"
#include "core/report/expected.h"

namespace tessera {

// True if values can be quantised to this type and operands of this type may have scales: e4m3,
// e5m2.
bool is_quantised(DType dtype);
// True if grouped GEMM multiplies elements of this type: the real and the quantised types.
bool is_grouped_gemm_operand(DType dtype);

// Return the names of these types, in the order of dtype.def.
std::vector<std::string_view> quantised_names();
std::vector<std::string_view> grouped_gemm_operand_names();
// Returns "e4m3 or e5m2", for messages.
std::string quantised_text();

// Fails with ErrorCode::invalid_type if is_grouped_gemm_operand rejects a type, and if both types
// are e5m2: no instruction multiplies e5m2 by e5m2.
Expected<void> check_operand_types(DType lhs, DType rhs);
// Fails if both types are e5m2. Used for the types to which both operands will be quantised.
Expected<void> check_quantised_pair(DType lhs, DType rhs);

}  // namespace tessera
