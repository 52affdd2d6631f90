// Runs one grouped matmul call on one device with a given configuration, and pads its operands.
#pragma once
#include "kernels/operation/grouped_operation.h"

namespace tessera {

// Padding of the operands of a call.
struct Padding {
  std::int64_t rows = 0;  // m plus the number of zero rows after it
  Tiling tiling;          // the configuration's tiling, clamped to the padded product
};
// Returns the padding of m rows to a multiple of the configuration's block_m, or no padding if
// `do_padding` is false. Fails if check_config fails, or if the rows are not a multiple of the
// clamped block_m.
Expected<Padding> grouped_padding(std::int64_t m, std::int64_t k, std::int64_t n,
                                  const GroupedMatmulConfig& config, bool do_padding);
// Returns a copy of a matrix that is extended to `rows` rows by zeros. rows: at least its rows.
Tensor padded_rows(const Tensor& tensor, std::int64_t rows);
// Returns the first `rows` rows of a matrix, which must have them.
Tensor first_rows(Tensor tensor, std::int64_t rows);

// Checks the call without running it. Fails if the operands, the padding or the configuration are
// not valid, if the platform has no implementation, or if no kernel honours an option.
Expected<void> check_call(const GroupedMatmulOperands& operands, const GroupedMatmulCall& call,
                          const GroupedMatmulConfig& config);
// Runs the call with the configuration. The result has the operands' rows, without padding. Ignores
// the mesh and the callback. Fails like check_call(), if the device cannot run the call, if the run
// has a finding, and if a limit (ErrorCode::environment) or a signal (ErrorCode::interrupted) ended
// the run.
Expected<GroupedMatmulRun> run_by(const GroupedMatmulOperands& operands,
                                  const GroupedMatmulCall& call, const GroupedMatmulConfig& config);
// Returns the gradients of the call, without padding. Fails like run_by(), and if the cotangent
// does not fit the result. Ignores the mesh and the callback.
Expected<GroupedMatmulGradients> gradients_by(const Tensor& cotangent,
                                              const GroupedMatmulOperands& operands,
                                              const GroupedMatmulCall& call,
                                              const GroupedMatmulConfig& config);

// Fails if the cotangent has another shape than `shape`, the shape of the result.
Expected<void> check_cotangent(const Tensor& cotangent, const Shape& shape);
// Returns the result of the call's callback, or `result` if there is no callback. Fails if the
// callback changes the shape or type.
Expected<Tensor> called_back(const GroupedMatmulCall& call, Tensor result);

}  // namespace tessera
