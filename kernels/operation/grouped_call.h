// One call on one device by a configuration that was chosen, and its padding.
#pragma once
#include "kernels/operation/grouped_operation.h"

namespace tessera {

// How operands are padded.
struct Padding {
  std::int64_t rows = 0;  // m and the zero rows after it
  Tiling tiling;          // of the configuration, at most as large as the padded product
};
// The padding of m rows for a configuration: to a multiple of its block_m. Errors are those of
// check_config, and rows that block_m does not divide if `do_padding` is false.
Expected<Padding> grouped_padding(std::int64_t m, std::int64_t k, std::int64_t n,
                                  const GroupedMatmulConfig& config, bool do_padding);
// A copy of a matrix with zero rows after its own, `rows` in all.
Tensor padded_rows(const Tensor& tensor, std::int64_t rows);
// The first `rows` rows of a matrix.
Tensor first_rows(Tensor tensor, std::int64_t rows);

// Errors of the operands, the padding and options that no kernel honours, without a run.
Expected<void> check_call(const GroupedMatmulOperands& operands, const GroupedMatmulCall& call,
                          const GroupedMatmulConfig& config);
// The result has the operands' own rows. A finding is an error. Mesh and callback are not used.
Expected<GroupedMatmulRun> run_by(const GroupedMatmulOperands& operands,
                                  const GroupedMatmulCall& call, const GroupedMatmulConfig& config);
Expected<GroupedMatmulGradients> gradients_by(const Tensor& cotangent,
                                              const GroupedMatmulOperands& operands,
                                              const GroupedMatmulCall& call,
                                              const GroupedMatmulConfig& config);

// An error if the cotangent has another shape.
Expected<void> check_cotangent(const Tensor& cotangent, const Shape& shape);
// The callback's result, which must have the shape and type of its argument.
Expected<Tensor> called_back(const GroupedMatmulCall& call, Tensor result);

}  // namespace tessera
