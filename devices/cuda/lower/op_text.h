// Text of the device for ops on scalars and on elements of tiles: the only table of ops in CUDA
// C++.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/program/op.h"

namespace tessera::cuda {

// Formats of an op's operands, in the order of its fields. Empty if the op has no such form.
struct OpText {
  std::size_t op;
  std::string_view real;  // of floats
  std::string_view
      whole;  // of whole numbers (i64), which `{type}` are computed in; of scalars: any
};

// Null if the op is neither arithmetic on scalars nor elementwise.
const OpText* op_text(const Op& op);
// The format, filled with at most three operands.
std::string written(std::string_view format, std::vector<std::string> operands,
                    std::string_view type = "i64");

}  // namespace tessera::cuda
