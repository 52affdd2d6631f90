// What a call computes of single elements, as text of the device.
#pragma once
#include <string>
#include <vector>

#include "devices/cuda/graph/call_text.h"

namespace tessera::cuda {

// An elementwise op's value at the indices `e`; operands are those of the op, the first is what it
// writes. Whole numbers where all that it reads are, else floats.
std::string element_code(const Op& op, const std::vector<CallOperand>& operands, CallText& call);
// The statements that store the sum of two views' elements to the first.
std::string sum_code(DType dtype, const std::string& to, const std::string& from);
// Those that store a line of `in`, along a dimension of that length, to an element of `out`.
std::string reduction_code(const Op& op, const CallOperand& to, const CallOperand& from,
                           std::size_t dim, const std::string& out, const std::string& in,
                           const std::string& length);
}  // namespace tessera::cuda
