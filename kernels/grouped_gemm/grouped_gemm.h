// Grouped GEMM of TransformerEngine: out[g] = alpha[g] * op(lhs[g]) . op(rhs[g]) + beta[g] * c[g] +
// bias[g], over operands of any rank whose groups differ along one axis.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "kernels/grouped_gemm/grouped_tensor.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// V1: a product for each group, whose sizes the host reads. V2: one kernel for all groups, which
// reads the sizes where they lie. Auto: V2 where it can, else V1.
enum class GroupedGemmPath : std::uint8_t { Auto, V1, V2 };

struct GroupedGemmOptions {
  std::vector<std::int64_t> lhs_contracting{1}, rhs_contracting{2};
  const Tensor* alpha = nullptr;  // f32 [groups]; none: ones
  const Tensor* beta = nullptr;   // f32 [groups]; none: zeros. c is read where it is not 0
  const Tensor* c = nullptr;      // of the result's shape and type
  const Tensor* bias = nullptr;   // [groups, columns]: f32, bf16 or f16
  std::optional<DType> preferred_element_type;               // none: what the operands stand for
  std::optional<QuantizeSpec> lhs_quantizer, rhs_quantizer;  // both or none, of one mode
  Precision precision = Precision::Default;
  const Tensor* group_offset = nullptr;    // refused, as by the source
  bool use_async_d2h_group_sizes = false;  // V1: at most 1024 groups
  GroupedGemmPath path = GroupedGemmPath::Auto;
  TilingSpec tiling;
  std::int64_t input_buffer_count = 2;
  std::string device;  // as in GroupedMatmulOptions
  DeviceOptions run;
};

struct GroupedGemmRun : GroupedMatmulRun {
  GroupedGemmPath path = GroupedGemmPath::V2;
  std::string why_not_v2;                  // when the path is V1
  DimSizes out_first_dims, out_last_dims;  // of the result, inferred
};

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
