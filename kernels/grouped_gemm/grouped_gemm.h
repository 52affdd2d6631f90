// Grouped GEMM of TransformerEngine: out[g] = alpha[g] * op(lhs[g]) . op(rhs[g]) + beta[g] * c[g] +
// bias[g], over operands of any rank whose groups differ along one axis.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <vector>

#include "devices/device.h"
#include "kernels/grouped_gemm/grouped_tensor.h"
#include "kernels/grouped_gemm/options.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// The result is [groups, rest of lhs, rest of rhs] where the contraction is ragged, else [rest of
// lhs, rest of rhs]. Which axes are contracted says what is transposed.
Expected<Tensor> grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                              const GroupedGemmOptions& options = {});
Expected<GroupedGemmRun> run_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options);

// Whether one kernel for all groups can run the call, and why not. With
// NVTE_JAX_ENFORCE_V2_GROUPED_GEMM=1 in the environment a call that cannot is an error.
Expected<Support> grouped_gemm_v2_support(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options);

// Judges a result against the reference in f64, of the elements as they were quantised.
Verdict check_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                           const GroupedGemmOptions& options, const Tensor& out,
                           const CheckOptions& how);
// Extents of the result and its floating-point operations.
struct GroupedGemmShape {
  std::int64_t groups = 0, columns = 0;
  Shape out;
  DType out_dtype = DType::f32;
  std::vector<std::int64_t> sizes;  // along the ragged axis
  std::int64_t flops = 0;
  std::int64_t products = 0;  // groups with elements in the result: so many launches make V1
};
Expected<GroupedGemmShape> grouped_gemm_shape(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                              const GroupedGemmOptions& options);

struct GroupedDenseGradients {
  Tensor lhs, rhs;             // of the operands' shapes and types
  std::optional<Tensor> bias;  // f32 [groups, columns]
};
// Of grouped_gemm(lhs, rhs) with ragged rows and weights [groups, k.., n..]: dgrad, wgrad, and
// dbias as the sum of each group's rows in f32. alpha, beta and c play no part.
Expected<GroupedDenseGradients> grouped_dense_vjp(const Tensor& cotangent, const GroupedTensor& lhs,
                                                  const GroupedTensor& rhs,
                                                  const GroupedGemmOptions& options = {});

}  // namespace tessera
