#include "kernels/grouped_gemm/axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/try.h"

namespace tessera {
namespace {

using Axes = std::vector<std::int64_t>;

bool has(const Axes& axes, std::int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Checks that the contracted axes are consecutive and at one end. Groups of weights must come
// first.
Expected<void> check_contracted(const char* whose, const Axes& axes, const GroupedTensor& tensor,
                                std::int64_t lead) {
  const auto rank = static_cast<std::int64_t>(tensor.original_shape.size());
  if (elements(tensor.original_shape) != tensor.data->elements())
    return error("grouped GEMM data buffer element count does not match the provided 2D shape.");
  const auto wrong = [&] {
    return error(fmt::format(
        "the contracting dims of {} must follow each other at one end of its axes{}, got ({}) of "
        "{} axes",
        whose, lead > 0 ? " after the groups" : "", fmt::join(axes, ", "), rank));
  };
  if (axes.empty()) return wrong();
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < lead || axes[i] >= rank || (i > 0 && axes[i] != axes[i - 1] + 1)) return wrong();
  if (axes.front() != lead && axes.back() != rank - 1) return wrong();
  if (static_cast<std::int64_t>(axes.size()) == rank - lead)
    return error(fmt::format("every axis of {} is contracted: it is not a matrix", whose));
  return {};
}

}  // namespace

Expected<void> merge_axes(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  const bool weights = !call.rhs.is_ragged();
  TRY(check_contracted("lhs", options.lhs_contracting, call.lhs, 0));
  TRY(check_contracted("rhs", options.rhs_contracting, call.rhs, weights ? 1 : 0));
  const Axes &l = options.lhs_contracting, &r = options.rhs_contracting;
  const auto lhs_rank = static_cast<std::int64_t>(call.lhs.original_shape.size()),
             rhs_rank = static_cast<std::int64_t>(call.rhs.original_shape.size());
  call.lhs_is_trans = l.back() != lhs_rank - 1;
  call.rhs_is_trans = r.back() == rhs_rank - 1;
  call.lhs_boundary = call.lhs_is_trans ? l.back() + 1 : l.front();
  call.rhs_boundary = call.rhs_is_trans ? r.front() : r.back() + 1;
  if (!weights) return {};
  const std::int64_t blocks = call.rhs.original_shape[0];
  if (blocks == call.product.groups()) return {};
  return error(fmt::format(
      "Expected group_sizes.size == rhs_shape[0], but got group_sizes.size={}, rhs_shape[0]={}",
      call.product.groups(), blocks));
}

Expected<void> shape_result(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  const Shape &l = call.lhs.original_shape, &r = call.rhs.original_shape;
  Shape rows, columns;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(l.size()); ++d)
    if ((d < call.lhs_boundary) != call.lhs_is_trans)
      rows.push_back(l[static_cast<std::size_t>(d)]);
  for (std::int64_t d = call.ragged_contraction ? 0 : 1; d < static_cast<std::int64_t>(r.size());
       ++d)
    if (!has(options.rhs_contracting, d)) columns.push_back(r[static_cast<std::size_t>(d)]);
  std::int64_t all_rows = 0, all_columns = 0, all = 0;
  for (std::size_t g = 0; g < call.product.sizes.size(); ++g) {
    const auto block = checked_bytes(call.product.out, {call.group_rows(g), call.group_columns(g)});
    if (!block || *block > INT64_MAX - all)
      return error(fmt::format("the result of group {} is too large: {} rows of {} columns", g,
                               call.group_rows(g), call.group_columns(g)));
    all += *block;
    all_rows += call.group_rows(g);
    all_columns += call.group_columns(g);
  }
  if (call.lhs.is_packed()) rows = {all_rows};
  if (call.rhs.is_packed()) columns = {all_columns};
  (call.ragged_rows ? call.product.m : call.product.k) = elements(rows);
  if (call.ragged_rows && call.ragged_columns) {
    rows = {1};
    columns = {all / size_of(call.product.out)};
  }
  call.out_shape.clear();
  if (!call.ragged_rows && !call.ragged_columns) call.out_shape = {call.product.groups()};
  call.out_shape.insert(call.out_shape.end(), rows.begin(), rows.end());
  call.out_shape.insert(call.out_shape.end(), columns.begin(), columns.end());
  // The groups of the result have the sizes of a ragged lhs.
  if (call.ragged_rows) call.out_first_dims = call.lhs.first_dims;
  if (call.ragged_rows) call.out_last_dims = call.lhs.last_dims;
  if (call.lhs.is_packed()) call.out_first_dims = call.row_sizes();
  if (call.lhs.is_packed() || call.ragged_columns) call.out_last_dims = call.column_sizes();
  return {};
}

}  // namespace tessera
