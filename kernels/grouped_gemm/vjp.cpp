#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/report/guarded.h"
#include "kernels/grouped_gemm/grouped_gemm.h"
#include "kernels/grouped_gemm/validate.h"
#include "kernels/launch/axes.h"

namespace tessera {
namespace {

// The sum of each group's rows, in f32.
Tensor row_sums(const Tensor& cotangent, const GroupedGemmCall& call) {
  Tensor sums(DType::f32, {call.groups, call.columns});
  std::int64_t row = 0;
  for (std::int64_t g = 0; g < call.groups; ++g) {
    float* const to = sums.as<float>() + g * call.columns;
    for (std::int64_t i = 0; i < call.sizes[static_cast<std::size_t>(g)]; ++i, ++row)
      for (std::int64_t j = 0; j < call.columns; ++j)
        to[j] += static_cast<float>(cotangent.at(row * call.columns + j));
  }
  return sums;
}

std::shared_ptr<const Tensor> shared(Tensor tensor) {
  return std::make_shared<const Tensor>(std::move(tensor));
}

}  // namespace

Expected<GroupedDenseGradients> grouped_dense_vjp(const Tensor& cotangent, const GroupedTensor& lhs,
                                                  const GroupedTensor& rhs,
                                                  const GroupedGemmOptions& options) try {
  Expected<GroupedGemmCall> call = validate_grouped_gemm(lhs, rhs, options);
  if (!call) return call.diags();
  if (call->lhs_is_trans || !GroupedTensor::ragged(call->lhs.first_dims) || call->lhs.is_packed())
    return error(ErrorCode::unsupported,
                 "gradients are those of grouped_dense: rows ragged in lhs's first dims");
  if (lhs.mode != ScalingMode::NoScaling)
    return error(ErrorCode::unsupported, "gradients are taken of operands without scales");
  if (options.lhs_quantizer || options.rhs_quantizer)
    return error(ErrorCode::unsupported,
                 "gradients are taken without quantizers: quantise the cotangent and call "
                 "grouped_gemm for each");
  if (cotangent.shape() != call->out_shape)
    return error(fmt::format("the cotangent has shape {}, the result has {}",
                             to_string(cotangent.shape()), to_string(call->out_shape)));
  const std::int64_t rows = call->left.left, k = call->left.right, n = call->columns;
  const GroupedTensor grad =
      no_scale_tensor(shared(reshaped(cotangent.clone(), {rows, n})), lhs.first_dims);
  GroupedGemmOptions plain;
  plain.precision = options.precision;
  plain.path = options.path;
  plain.input_buffer_count = options.input_buffer_count;
  plain.device = options.device;
  plain.run = options.run;
  const auto turned = [&](std::int64_t Tiling::*a, std::int64_t Tiling::*b) -> TilingSpec {
    const Tiling* given = std::get_if<Tiling>(&options.tiling);
    if (!given) return options.tiling;
    Tiling swapped = *given;
    std::swap(swapped.*a, swapped.*b);
    return swapped;
  };

  // dgrad: over the columns of the weights, whichever way they lie.
  const bool is_trans = call->rhs_is_trans;
  GroupedTensor weights = no_scale_tensor(shared(reshaped(
      rhs.data->clone(), is_trans ? Shape{call->groups, n, k} : Shape{call->groups, k, n})));
  GroupedGemmOptions of_lhs = plain;
  of_lhs.tiling = turned(&Tiling::k, &Tiling::n);
  of_lhs.lhs_contracting = {1};
  of_lhs.rhs_contracting = {is_trans ? 1 : 2};
  of_lhs.preferred_element_type = lhs.data->dtype();
  Expected<Tensor> dlhs = grouped_gemm(grad, weights, of_lhs);
  if (!dlhs) return dlhs.diags();

  // wgrad: over the rows.
  const GroupedTensor x =
      no_scale_tensor(shared(reshaped(lhs.data->clone(), {rows, k})), lhs.first_dims);
  GroupedGemmOptions of_rhs = plain;
  of_rhs.lhs_contracting = {0};
  of_rhs.rhs_contracting = {0};
  of_rhs.tiling = is_trans ? turned(&Tiling::k, &Tiling::n) : options.tiling;
  of_rhs.preferred_element_type = rhs.data->dtype();
  Expected<Tensor> drhs = is_trans ? grouped_gemm(grad, x, of_rhs) : grouped_gemm(x, grad, of_rhs);
  if (!drhs) return drhs.diags();

  GroupedDenseGradients gradients{reshaped(*std::move(dlhs), lhs.original_shape),
                                  reshaped(*std::move(drhs), rhs.original_shape), std::nullopt};
  if (options.bias) gradients.bias = row_sums(cotangent, *call);
  return gradients;
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
