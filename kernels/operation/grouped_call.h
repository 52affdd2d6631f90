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
// Returns a copy of a matrix that is extended to `rows` rows by zeros.
Tensor padded_rows(const Tensor& tensor, std::int64_t rows);
// Returns the first `rows` rows of a matrix.
Tensor first_rows(Tensor tensor, std::int64_t rows);

// Fails if the operands or the padding are not valid, or if no kernel honours an option. Does not
// run the call.
Expected<void> check_call(const GroupedMatmulOperands& operands, const GroupedMatmulCall& call,
                          const GroupedMatmulConfig& config);
// Runs the call. The result has the operands' rows, without padding. Fails if the run has a
// finding. Ignores the mesh and the callback.
Expected<GroupedMatmulRun> run_by(const GroupedMatmulOperands& operands,
                                  const GroupedMatmulCall& call, const GroupedMatmulConfig& config);
// Returns the gradients of the call, without padding. Ignores the mesh and the callback.
Expected<GroupedMatmulGradients> gradients_by(const Tensor& cotangent,
                                              const GroupedMatmulOperands& operands,
                                              const GroupedMatmulCall& call,
                                              const GroupedMatmulConfig& config);

// Fails if the cotangent has another shape.
Expected<void> check_cotangent(const Tensor& cotangent, const Shape& shape);
// Returns the result of the call's callback, or `result` if there is no callback. Fails if the
// callback changes the shape or type.
Expected<Tensor> called_back(const GroupedMatmulCall& call, Tensor result);

}  // namespace tessera
