#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/launch/axes.h"
#include "kernels/ragged_dot/ragged_dot.h"
#include "kernels/ragged_dot/validate.h"

namespace tessera {
namespace {

using Axes = std::vector<std::int64_t>;

Axes counted(std::int64_t first, std::size_t count) {
  Axes axes(count);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

Axes joined(std::initializer_list<Axes> lists) {
  Axes all;
  for (const Axes& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::int64_t place(const Axes& axes, std::int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) - axes.begin();
}

// Permutes a gradient to the axes of its operand: axis d of `tensor` is axis names[d] of the
// operand.
Tensor as_operand(const Tensor& tensor, const Axes& names) {
  Axes order;
  for (std::size_t axis = 0; axis < names.size(); ++axis)
    order.push_back(place(names, static_cast<std::int64_t>(axis)));
  return permuted(tensor, order);
}

// Checks that the call has gradients and that the cotangent fits its result.
Expected<void> check_gradients(const Tensor& cotangent, const RaggedCall& call) {
  if (call.mode != RaggedMode::NonContracting)
    return error(ErrorCode::unsupported,
                 fmt::format("Unimplemented grad_x_dims for ragged dot general in mode {}.",
                             name(call.mode)));
  if (cotangent.shape() != call.out_shape)
    return error(fmt::format("the cotangent has shape {}, the result has {}",
                             to_string(cotangent.shape()), to_string(call.out_shape)));
  if (cotangent.dtype() != call.product.out)
    return error(ErrorCode::invalid_type,
                 fmt::format("the cotangent is {}, the result is {}", name(cotangent.dtype()),
                             name(call.product.out)));
  if (is_integer(call.product.lhs))
    return error(
        ErrorCode::invalid_type,
        fmt::format("gradients need floating-point operands, got {}", name(call.product.lhs)));
  return {};
}

// Axes that both gradients use: rest and free are the axes of lhs and of rhs that are not batch,
// group or contracting. The axes of the cotangent are batch, rows (rest) and columns (free).
struct GradientAxes {
  Axes rest, free;
  Axes batch, rows, columns;

  GradientAxes(const RaggedDotDims& dims, std::int64_t lhs_rank, std::int64_t rhs_rank)
      : rest(other_axes(lhs_rank, dims.lhs_batch, dims.lhs_contracting)),
        free(other_axes(rhs_rank, joined({dims.rhs_batch, dims.rhs_contracting}), dims.rhs_group)) {
    const std::size_t lead = dims.lhs_batch.size();
    batch = counted(0, lead);
    rows = counted(static_cast<std::int64_t>(lead), rest.size());
    columns = counted(static_cast<std::int64_t>(lead + rest.size()), free.size());
  }
};

// Returns the contracted axes `own` of an operand in the ascending order of the other operand's
// axes, `others`. They remain in the operand's gradient, which multiplies the other operand by the
// cotangent.
Axes in_order_of(const Axes& own, const Axes& others) {
  Axes sorted = others, result;
  std::sort(sorted.begin(), sorted.end());
  for (const std::int64_t axis : sorted)
    result.push_back(own[static_cast<std::size_t>(place(others, axis))]);
  return result;
}

// dlhs = cotangent . rhs, contracting the free axes of rhs; the same rows are ragged.
Expected<Tensor> lhs_gradient(const Tensor& cotangent, const Tensor& lhs, const Tensor& rhs,
                              const Tensor& group_sizes, const RaggedDotDims& dims,
                              const GradientAxes& axes, RaggedDotOptions options) {
  options.preferred_element_type = lhs.dtype();
  if (const Tiling* tiling = std::get_if<Tiling>(&options.tiling))
    options.tiling = Tiling{tiling->m, tiling->n, tiling->k};
  RaggedDotDims over_columns;
  over_columns.lhs_contracting = axes.columns;
  over_columns.rhs_contracting = axes.free;
  over_columns.lhs_batch = axes.batch;
  over_columns.rhs_batch = dims.rhs_batch;
  over_columns.lhs_ragged = {
      axes.rows[static_cast<std::size_t>(place(axes.rest, dims.lhs_ragged[0]))]};
  over_columns.rhs_group = dims.rhs_group;
  const Expected<Tensor> product =
      ragged_dot_general(cotangent, rhs, group_sizes, over_columns, options);
  if (!product) return product.diags();
  const Axes contracted = in_order_of(dims.lhs_contracting, dims.rhs_contracting);
  return as_operand(*product, joined({dims.lhs_batch, axes.rest, contracted}));
}

// drhs = lhs . cotangent, contracting the rows of each group.
Expected<Tensor> rhs_gradient(const Tensor& cotangent, const Tensor& lhs, const Tensor& rhs,
                              const Tensor& group_sizes, const RaggedDotDims& dims,
                              const GradientAxes& axes, RaggedDotOptions options) {
  options.preferred_element_type = rhs.dtype();
  RaggedDotDims over_rows;
  over_rows.lhs_contracting = axes.rest;
  over_rows.rhs_contracting = axes.rows;
  over_rows.lhs_batch = dims.lhs_batch;
  over_rows.rhs_batch = axes.batch;
  over_rows.lhs_ragged = dims.lhs_ragged;
  const Expected<Tensor> product =
      ragged_dot_general(lhs, cotangent, group_sizes, over_rows, options);
  if (!product) return product.diags();
  const Axes contracted = in_order_of(dims.rhs_contracting, dims.lhs_contracting);
  return as_operand(*product, joined({dims.rhs_group, dims.rhs_batch, contracted, axes.free}));
}

}  // namespace

Expected<RaggedDotGradients> ragged_dot_vjp(const Tensor& cotangent, const Tensor& lhs,
                                            const Tensor& rhs, const Tensor& group_sizes,
                                            const RaggedDotDims& dims,
                                            const RaggedDotOptions& options) try {
  const RaggedCall call = TRY(validate_ragged_dot(lhs, rhs, group_sizes, dims, options));
  TRY(check_gradients(cotangent, call));
  const GradientAxes axes(dims, lhs.rank(), rhs.rank());
  Tensor dlhs = TRY(lhs_gradient(cotangent, lhs, rhs, group_sizes, dims, axes, options));
  RaggedDotOptions of_rhs = options;
  of_rhs.local_groups = call.product.local_groups;
  Tensor drhs = TRY(rhs_gradient(cotangent, lhs, rhs, group_sizes, dims, axes, of_rhs));
  return RaggedDotGradients{std::move(dlhs), std::move(drhs)};
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
