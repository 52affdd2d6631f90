#include "kernels/grouped_matmul/grouped_matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/report/guarded.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_matmul/cost.h"
#include "kernels/grouped_matmul/run.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Layout = GroupedMatmulOptions::LhsLayout;

// `tensor` itself when it has that type already; else `storage`, into which it is converted.
const Tensor& as_operand(const Tensor& tensor, DType dtype, const char* what, Tensor& storage,
                         std::vector<std::string>& notes) {
  if (tensor.dtype() == dtype) return tensor;
  notes.push_back(fmt::format("{} was converted from {} to {}, which holds it exactly", what,
                              name(tensor.dtype()), name(dtype)));
  storage = converted(tensor, dtype);
  return storage;
}

Tensor transposed(const Tensor& matrix) {
  const std::int64_t rows = matrix.dim(0), columns = matrix.dim(1), size = size_of(matrix.dtype());
  Tensor result = Tensor::uninitialised(matrix.dtype(), {columns, rows});
  constexpr std::int64_t side = 64;  // both sides of a block stay in the first-level cache
  for (std::int64_t r = 0; r < rows; r += side) {
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t i = r; i < std::min(r + side, rows); ++i) {
        std::memcpy(result.data() + (c * rows + i) * size, matrix.data() + (i * columns + c) * size,
                    static_cast<std::size_t>(size));
      }
    }
  }
  return result;
}

Expected<Tensor> only_result(Expected<GroupedMatmulRun> run) {
  if (!run) return run.diags();
  if (Diags diags = faults(run->report); !diags.empty()) return diags;
  return std::move(run->out);
}

}  // namespace

Expected<GroupWindow> group_window(const Tensor& group_offset, GroupWindow::Rows rows) try {
  const Shape& shape = group_offset.shape();
  if (group_offset.data() == nullptr) return error("group_offset is a tensor without data");
  if (!shape.empty() && shape != Shape{1}) {
    return error(fmt::format("group_offset must be a ()-shaped array. Got: {}.", to_string(shape)));
  }
  if (!is_integer(group_offset.dtype())) {
    return error(ErrorCode::invalid_type, fmt::format("group_offset must be an integer, got {}",
                                                      name(group_offset.dtype())));
  }
  return GroupWindow{static_cast<std::int64_t>(group_offset.at(0)), rows};
} catch (...) {
  return given_up("reading a group offset");
}

Expected<GroupedMatmulRun> run_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                              const Tensor& group_sizes,
                                              const GroupedMatmulOptions& options) try {
  Expected<GroupedCall> call = validate_gmm(lhs, rhs, group_sizes, options);
  if (!call) return call.diags();
  if (size_of(call->operand) == 1 && is_float(call->operand) &&
      !has_fast_kernel("gmm", gmm_settings(*call, options), options, call->hints))
    call = in_bf16(*std::move(call), options);
  GroupedMatmulRun result;
  result.tiling = call->tiling;
  result.kernel = gmm_kernel_name(call->tiling, options.transpose_rhs);
  if (options.device == reference_device) {
    const Expected<GroupedProblem> problem = gmm_problem(lhs, rhs, group_sizes, options);
    if (!problem) return problem.diags();
    run_reference(reference_gmm, *problem, options, result);
    return result;
  }

  Tensor lhs_storage, rhs_storage;
  const Tensor sizes = sizes_tensor(call->group_sizes);
  DeviceBinding binding{
      {"lhs", input(as_operand(lhs, call->operand, "lhs", lhs_storage, result.notes))},
      {"rhs", input(as_operand(rhs, call->operand, "rhs", rhs_storage, result.notes))},
      {"group_sizes", input(sizes)}};
  if (options.existing_out) binding["existing_out"] = input(*options.existing_out);
  result.out = unwritten(options.out_dtype, {call->m, call->n}, options.run);
  if (Diags diags = run_kernel("gmm", gmm_settings(*call, options), std::move(binding), options,
                               result, call->hints);
      !diags.empty())
    return diags;
  return result;
} catch (...) {
  return given_up("multiplying groups");
}

Expected<GroupedMatmulRun> run_transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                                         const Tensor& group_sizes,
                                                         const GroupedMatmulOptions& options) try {
  const Expected<GroupedCall> call = validate_tgmm(lhs, rhs, group_sizes, options);
  if (!call) return call.diags();
  GroupedMatmulRun result;
  result.tiling = call->tiling;
  result.kernel = tgmm_kernel_name(call->tiling);
  if (options.device == reference_device) {
    const Expected<GroupedProblem> problem = tgmm_problem(lhs, rhs, group_sizes, options);
    if (!problem) return problem.diags();
    run_reference(reference_tgmm, *problem, options, result);
    return result;
  }

  Settings parameters = kernel_settings(*call, options);
  std::vector<std::int64_t> group_list = call->group_sizes;
  if (options.window.rows == GroupWindow::Local) {
    // The kernel's rows are global: with the local groups alone, local rows are.
    const auto first = group_list.begin() + options.window.offset;
    group_list = std::vector<std::int64_t>(first, first + call->local_groups);
    parameters["groups"] = parameters["local_groups"];
    parameters["group_offset"] = "0";
  }
  const Tensor sizes = sizes_tensor(group_list);
  Tensor turned, lhs_storage, rhs_storage;
  const Tensor* stored = &lhs;
  if (options.lhs_layout == Layout::km) {
    turned = transposed(lhs);
    stored = &turned;
  }
  DeviceBinding binding{
      {"lhs", input(as_operand(*stored, call->operand, "lhs", lhs_storage, result.notes))},
      {"rhs", input(as_operand(rhs, call->operand, "rhs", rhs_storage, result.notes))},
      {"group_sizes", input(sizes)}};
  // Every block is computed, so an existing one that is overwritten plays no part.
  if (options.existing_out && options.existing_mode == ExistingOut::Accumulate) {
    parameters["existing"] = "1";
    binding["existing_out"] = input(*options.existing_out);
  }
  result.out = unwritten(options.out_dtype, {call->local_groups, call->k, call->n}, options.run);
  if (Diags diags =
          run_kernel("tgmm", parameters, std::move(binding), options, result, call->hints);
      !diags.empty())
    return diags;
  return result;
} catch (...) {
  return given_up("multiplying groups");
}

Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const GroupedMatmulOptions& options) {
  return only_result(run_grouped_matmul(lhs, rhs, group_sizes, options));
}

Expected<Tensor> transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                           const Tensor& group_sizes,
                                           const GroupedMatmulOptions& options) {
  return only_result(run_transposed_grouped_matmul(lhs, rhs, group_sizes, options));
}

}  // namespace tessera
