// CUDA C++ code for ops on scalars and on elements of tiles: the only such table of ops.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/program/op.h"

namespace tessera::cuda {

// Format strings with the op's operands in the order of its fields. Empty if the op has no such
// form.
struct OpText {
  std::size_t op;
  std::string_view real;   // for floats
  std::string_view whole;  // for integers, computed in `{type}`; for scalars: any
};

// Returns the formats of an op; null if it is neither scalar arithmetic nor elementwise, and for
// casts and `Truncate`, which have no format.
const OpText* op_text(const Op& op);
// Returns a format filled with at most three operands. type: text for `{type}`.
std::string written(std::string_view format, std::vector<std::string> operands,
                    std::string_view type = "i64");

}  // namespace tessera::cuda
