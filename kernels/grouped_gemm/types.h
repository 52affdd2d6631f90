// The element types that grouped GEMM takes. They are those of TransformerEngine, and not whatever
// dtype.def has: a type that is added there is refused here until these functions name it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"
#include "core/report/expected.h"

namespace tessera {

// Whether values are quantised to that type and operands of it may have scales: e4m3 and e5m2.
bool is_quantised(DType dtype);
// Whether grouped GEMM multiplies elements of that type, with scales or without: the real types and
// the quantised ones.
bool is_grouped_gemm_operand(DType dtype);

// The names of those types, in the order of dtype.def.
std::vector<std::string_view> quantised_names();
std::vector<std::string_view> grouped_gemm_operand_names();
// "e4m3 or e5m2", for messages.
std::string quantised_text();

// Errors are a type that is_grouped_gemm_operand refuses, and a product that no instruction has:
// of e5m2 with e5m2.
Expected<void> check_operand_types(DType lhs, DType rhs);
// The second of these alone, of types to which both operands are to be quantised.
Expected<void> check_quantised_pair(DType lhs, DType rhs);

}  // namespace tessera
