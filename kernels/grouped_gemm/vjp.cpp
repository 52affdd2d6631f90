#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/grouped_gemm/grouped_gemm.h"
#include "kernels/grouped_gemm/validate.h"
#include "kernels/launch/axes.h"

namespace tessera {
namespace {

// Returns the sum of each group's rows, in f32.
Tensor row_sums(const Tensor& cotangent, const GroupedGemmCall& call) {
  Tensor sums(DType::f32, {call.product.groups(), call.product.n});
  std::int64_t row = 0;
  for (std::int64_t g = 0; g < call.product.groups(); ++g) {
    float* const to = sums.as<float>() + g * call.product.n;
    for (std::int64_t i = 0; i < call.product.sizes[static_cast<std::size_t>(g)]; ++i, ++row)
      for (std::int64_t j = 0; j < call.product.n; ++j)
        to[j] += static_cast<float>(cotangent.at(row * call.product.n + j));
  }
  return sums;
}

std::shared_ptr<const Tensor> shared(Tensor tensor) {
  return std::make_shared<const Tensor>(std::move(tensor));
}

// Checks that the call has gradients and that the cotangent fits its result.
Expected<void> check_gradients(const Tensor& cotangent, const GroupedGemmCall& call,
                               const GroupedTensor& lhs, const GroupedGemmOptions& options) {
  if (call.lhs_is_trans || !GroupedTensor::ragged(call.lhs.first_dims) || call.lhs.is_packed())
    return error(
        ErrorCode::unsupported,
        "gradients are defined where the rows are ragged in lhs's first dims, as in grouped_dense");
  if (lhs.mode != ScalingMode::NoScaling)
    return error(ErrorCode::unsupported, "gradients are defined for operands without scales");
  if (options.lhs_quantizer || options.rhs_quantizer)
    return error(ErrorCode::unsupported,
                 "gradients are defined without quantizers: quantise the cotangent and call "
                 "grouped_gemm for each");
  if (cotangent.shape() != call.out_shape)
    return error(fmt::format("the cotangent has shape {}, the result has {}",
                             to_string(cotangent.shape()), to_string(call.out_shape)));
  return {};
}

// Options of the call that both gradients use.
GroupedGemmOptions plain_options(const GroupedGemmOptions& options) {
  GroupedGemmOptions plain;
  plain.precision = options.precision;
  plain.path = options.path;
  plain.tiling = options.tiling;
  plain.input_buffer_count = options.input_buffer_count;
  plain.device = options.device;
  plain.run = options.run;
  return plain;
}

// Returns the tiling with k and n exchanged.
TilingSpec turned(const TilingSpec& tiling) {
  const Tiling* given = std::get_if<Tiling>(&tiling);
  if (!given) return tiling;
  return Tiling{given->m, given->n, given->k};
}

// dgrad: contracts the columns of the weights, which may be transposed.
Expected<Tensor> lhs_gradient(const GroupedTensor& grad, const GroupedGemmCall& call,
                              const GroupedTensor& lhs, const GroupedTensor& rhs,
                              const GroupedGemmOptions& options) {
  const std::int64_t k = call.left.right, n = call.product.n;
  const bool is_trans = call.rhs_is_trans;
  const GroupedTensor weights = no_scale_tensor(
      shared(reshaped(rhs.data->clone(), is_trans ? Shape{call.product.groups(), n, k}
                                                  : Shape{call.product.groups(), k, n})));
  GroupedGemmOptions of_lhs = plain_options(options);
  of_lhs.tiling = turned(options.tiling);
  of_lhs.lhs_contracting = {1};
  of_lhs.rhs_contracting = {is_trans ? 1 : 2};
  of_lhs.preferred_element_type = lhs.data->dtype();
  Expected<Tensor> dlhs = grouped_gemm(grad, weights, of_lhs);
  if (!dlhs) return dlhs.diags();
  return reshaped(*std::move(dlhs), lhs.original_shape);
}

// wgrad: contracts the rows.
Expected<Tensor> rhs_gradient(const GroupedTensor& grad, const GroupedGemmCall& call,
                              const GroupedTensor& lhs, const GroupedTensor& rhs,
                              const GroupedGemmOptions& options) {
  const GroupedTensor x = no_scale_tensor(
      shared(reshaped(lhs.data->clone(), {call.left.left, call.left.right})), lhs.first_dims);
  GroupedGemmOptions of_rhs = plain_options(options);
  of_rhs.lhs_contracting = {0};
  of_rhs.rhs_contracting = {0};
  if (call.rhs_is_trans) of_rhs.tiling = turned(options.tiling);
  of_rhs.preferred_element_type = rhs.data->dtype();
  Expected<Tensor> drhs =
      call.rhs_is_trans ? grouped_gemm(grad, x, of_rhs) : grouped_gemm(x, grad, of_rhs);
  if (!drhs) return drhs.diags();
  return reshaped(*std::move(drhs), rhs.original_shape);
}

}  // namespace

Expected<GroupedDenseGradients> grouped_dense_vjp(const Tensor& cotangent, const GroupedTensor& lhs,
                                                  const GroupedTensor& rhs,
                                                  const GroupedGemmOptions& options) try {
  const GroupedGemmCall call = TRY(validate_grouped_gemm(lhs, rhs, options));
  TRY(check_gradients(cotangent, call, lhs, options));
  const GroupedTensor grad = no_scale_tensor(
      shared(reshaped(cotangent.clone(), {call.left.left, call.product.n})), lhs.first_dims);
  Tensor dlhs = TRY(lhs_gradient(grad, call, lhs, rhs, options));
  Tensor drhs = TRY(rhs_gradient(grad, call, lhs, rhs, options));
  GroupedDenseGradients gradients{std::move(dlhs), std::move(drhs), std::nullopt};
  if (options.bias) gradients.bias = row_sums(cotangent, call);
  return gradients;
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
