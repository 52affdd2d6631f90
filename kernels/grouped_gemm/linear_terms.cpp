#include "kernels/grouped_gemm/linear_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/try.h"

namespace tessera {
namespace {

Expected<void> per_group(std::int64_t groups, const char* what, const Tensor* given, float fallback,
                         std::vector<float>& to) {
  to.assign(static_cast<std::size_t>(groups), fallback);
  if (!given) return {};
  if (given->shape() != Shape{groups})
    return error(
        fmt::format("Expected {} shape ({},), got {}", what, groups, to_string(given->shape())));
  if (given->dtype() != DType::f32)
    return error(fmt::format("Expected {} dtype float32, got {}", what, name(given->dtype())));
  std::copy_n(given->as<float>(), groups, to.begin());
  return {};
}

Expected<void> check_bias(const GroupedGemmCall& call, const Tensor* bias) {
  if (!bias) return {};
  if (call.ragged_columns)
    return error(
        ErrorCode::unsupported,
        "Grouped bias add requires uniform last dim for output and bias, and the groups of "
        "rhs have different columns");
  const Shape expected{call.product.groups(), call.product.n};
  if (bias->shape() != expected)
    return error(fmt::format("bias shape {} does not match expected shape {}",
                             to_string(bias->shape()), to_string(expected)));
  const DType type = bias->dtype();
  if (type != DType::f32 && type != DType::bf16 && type != DType::f16)
    return error(ErrorCode::invalid_type,
                 fmt::format("a bias is f32, bf16 or f16, not {}", name(type)));
  return {};
}

// Sets call.reads_c: c is read if its beta is not 0.
Expected<void> take_c(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  for (std::size_t g = 0; g < call.beta.size(); ++g) {
    if (call.beta[g] == 0) continue;
    call.reads_c = true;
    if (!options.c) return error(fmt::format("beta[{}] = {} and there is no C", g, call.beta[g]));
  }
  if (options.c && !options.beta) return error("C is given, and no beta that multiplies it");
  if (options.c && options.c->shape() != call.out_shape)
    return error(fmt::format("C has shape {}, the result has {}", to_string(options.c->shape()),
                             to_string(call.out_shape)));
  if (options.c && options.c->dtype() != call.product.out)
    return error(
        fmt::format("C is {}, the result is {}", name(options.c->dtype()), name(call.product.out)));
  return {};
}

}  // namespace

Expected<void> take_linear_terms(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  TRY(check_bias(call, options.bias));
  if (options.group_offset)
    return error(ErrorCode::runtime,
                 "group_offset is not supported yet and is instead computed internally assuming "
                 "contiguous grouping. Any padding is included in the group_sizes and padded with "
                 "zeros to not affect the result of the MoE block.");
  TRY(per_group(call.product.groups(), "alpha", options.alpha, 1, call.factor));
  TRY(per_group(call.product.groups(), "beta", options.beta, 0, call.beta));
  TRY(take_c(call, options));
  if (is_tensor_scaled(call.lhs.mode))
    for (std::size_t g = 0; g < call.factor.size(); ++g) {
      // The scales of an operand without elements may have any value.
      if (call.contracted(g) * call.group_rows(g) * call.group_columns(g) == 0) continue;
      const float l = call.lhs.scale_inv->as<float>()[g], r = call.rhs.scale_inv->as<float>()[g];
      if (std::isinf(l * r))
        return error(
            fmt::format("the scales of group {}, {} of lhs and {} of rhs, multiply to more "
                        "than f32 holds",
                        g, l, r));
      call.factor[g] *= l * r;
    }
  if (options.input_buffer_count < 1)
    return error(
        fmt::format("input_buffer_count must be at least 1, got {}", options.input_buffer_count));
  return {};
}

}  // namespace tessera
