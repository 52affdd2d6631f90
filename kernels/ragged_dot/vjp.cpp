#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/report/guarded.h"
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

// Axis d of `tensor` is axis names[d] of the operand it is a cotangent of.
Tensor as_operand(const Tensor& tensor, const Axes& names) {
  Axes order;
  for (std::size_t axis = 0; axis < names.size(); ++axis)
    order.push_back(place(names, static_cast<std::int64_t>(axis)));
  return permuted(tensor, order);
}

}  // namespace

Expected<RaggedDotGradients> ragged_dot_vjp(const Tensor& cotangent, const Tensor& lhs,
                                            const Tensor& rhs, const Tensor& group_sizes,
                                            const RaggedDotDims& dims,
                                            const RaggedDotOptions& options) try {
  const Expected<RaggedCall> call = validate_ragged_dot(lhs, rhs, group_sizes, dims, options);
  if (!call) return call.diags();
  if (call->mode != RaggedMode::NonContracting)
    return error(ErrorCode::unsupported,
                 fmt::format("Unimplemented grad_x_dims for ragged dot general in mode {}.",
                             name(call->mode)));
  if (cotangent.shape() != call->out_shape)
    return error(fmt::format("the cotangent has shape {}, the result has {}",
                             to_string(cotangent.shape()), to_string(call->out_shape)));
  if (cotangent.dtype() != call->out)
    return error(ErrorCode::invalid_type, fmt::format("the cotangent is {}, the result is {}",
                                                      name(cotangent.dtype()), name(call->out)));
  if (is_integer(call->operand))
    return error(
        ErrorCode::invalid_type,
        fmt::format("gradients need floating-point operands, got {}", name(call->operand)));

  // The cotangent's axes: batch, what is left of lhs, what is left of rhs.
  const Axes rest = other_axes(lhs.rank(), dims.lhs_batch, dims.lhs_contracting);
  const Axes free =
      other_axes(rhs.rank(), joined({dims.rhs_batch, dims.rhs_contracting}), dims.rhs_group);
  const std::size_t lead = dims.lhs_batch.size();
  const Axes batch = counted(0, lead), rows = counted(static_cast<std::int64_t>(lead), rest.size()),
             columns = counted(static_cast<std::int64_t>(lead + rest.size()), free.size());

  RaggedDotOptions of_lhs = options, of_rhs = options;
  of_lhs.preferred_element_type = lhs.dtype();
  of_rhs.preferred_element_type = rhs.dtype();
  if (const Tiling* tiling = std::get_if<Tiling>(&options.tiling))
    of_lhs.tiling = Tiling{tiling->m, tiling->n, tiling->k};
  of_rhs.local_groups = call->local_groups;

  RaggedDotDims over_columns;
  over_columns.lhs_contracting = columns;
  over_columns.rhs_contracting = free;
  over_columns.lhs_batch = batch;
  over_columns.rhs_batch = dims.rhs_batch;
  over_columns.lhs_ragged = {rows[static_cast<std::size_t>(place(rest, dims.lhs_ragged[0]))]};
  over_columns.rhs_group = dims.rhs_group;
  Expected<Tensor> dlhs = ragged_dot_general(cotangent, rhs, group_sizes, over_columns, of_lhs);
  if (!dlhs) return dlhs.diags();

  RaggedDotDims over_rows;
  over_rows.lhs_contracting = rest;
  over_rows.rhs_contracting = rows;
  over_rows.lhs_batch = dims.lhs_batch;
  over_rows.rhs_batch = batch;
  over_rows.lhs_ragged = dims.lhs_ragged;
  Expected<Tensor> drhs = ragged_dot_general(lhs, cotangent, group_sizes, over_rows, of_rhs);
  if (!drhs) return drhs.diags();

  // What is contracted is left over in each gradient, in the order of the other operand's axes.
  Axes by_rhs = dims.rhs_contracting, by_lhs = dims.lhs_contracting, of_lhs_axes, of_rhs_axes;
  std::sort(by_rhs.begin(), by_rhs.end());
  std::sort(by_lhs.begin(), by_lhs.end());
  for (const std::int64_t axis : by_rhs)
    of_lhs_axes.push_back(
        dims.lhs_contracting[static_cast<std::size_t>(place(dims.rhs_contracting, axis))]);
  for (const std::int64_t axis : by_lhs)
    of_rhs_axes.push_back(
        dims.rhs_contracting[static_cast<std::size_t>(place(dims.lhs_contracting, axis))]);
  return RaggedDotGradients{
      as_operand(*dlhs, joined({dims.lhs_batch, rest, of_lhs_axes})),
      as_operand(*drhs, joined({dims.rhs_group, dims.rhs_batch, of_rhs_axes, free}))};
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
