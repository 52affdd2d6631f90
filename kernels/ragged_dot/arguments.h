// Arguments of ragged_dot_general, as passed between its checks.
#pragma once
#include <string>
#include <utility>

#include "core/report/expected.h"
#include "kernels/ragged_dot/options.h"

namespace tessera {

// Does not own the arguments.
struct RaggedArguments {
  const Tensor &lhs, &rhs, &sizes;
  const RaggedDotDims& dims;
  const RaggedDotOptions& options;
};

// Returns an error for which jax raises a TypeError.
inline Diag wrong(std::string text) { return error(ErrorCode::invalid_type, std::move(text)); }

}  // namespace tessera
