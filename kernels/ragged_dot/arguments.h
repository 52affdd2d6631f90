// What ragged_dot_general is called with, as its checks hand it to each other.
#pragma once
#include <string>
#include <utility>

#include "core/report/expected.h"
#include "kernels/ragged_dot/options.h"

namespace tessera {

// Refers to what the caller holds.
struct RaggedArguments {
  const Tensor &lhs, &rhs, &sizes;
  const RaggedDotDims& dims;
  const RaggedDotOptions& options;
};

// An error as jax raises a TypeError.
inline Diag wrong(std::string text) { return error(ErrorCode::invalid_type, std::move(text)); }

}  // namespace tessera
