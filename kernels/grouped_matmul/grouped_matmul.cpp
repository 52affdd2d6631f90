#include "kernels/grouped_matmul/grouped_matmul.h"

#include <fmt/format.h>

#include <utility>

#include "core/data/transposed.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_matmul/cost.h"
#include "kernels/grouped_matmul/run.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Layout = GroupedMatmulOptions::LhsLayout;

// Returns `tensor` if it has this type, otherwise `storage` with the converted tensor.
const Tensor& as_operand(const Tensor& tensor, DType dtype, const char* what, Tensor& storage,
                         std::vector<std::string>& notes) {
  if (tensor.dtype() == dtype) return tensor;
  notes.push_back(fmt::format("{} was converted from {} to {}, which holds it exactly", what,
                              name(tensor.dtype()), name(dtype)));
  storage = converted(tensor, dtype);
  return storage;
}

std::string kernel_name(const GroupedDesc& desc, const Tiling& tiling) {
  return desc.is_tgmm() ? tgmm_kernel_name(tiling) : gmm_kernel_name(tiling, desc.transpose_rhs);
}

Expected<GroupedMatmulRun> in_place_of_kernel(Tensor (*reference)(const GroupedProblem&, DType),
                                              const GroupedProblem& problem,
                                              const GroupedDesc& desc,
                                              const GroupedMatmulOptions& options) {
  TRY(refuse_config(config_request(options)));
  if (options.program != nullptr) {
    return error(ErrorCode::unsupported,
                 "a program replaces the kernel, and the reference has no kernel");
  }
  GroupedMatmulRun result;
  result.kernel = kernel_name(desc, result.tiling);
  run_reference(reference, problem, options, result);
  return result;
}

// lhs: [m, k], also for tgmm.
Expected<GroupedMatmulRun> run_product(const GroupedDesc& desc, const Tensor& lhs,
                                       const Tensor& rhs, const Shape& shape,
                                       const GroupedMatmulOptions& options) {
  const Device& device = *TRY(choose_device(options.device, reference_device));
  PreparedProduct made = TRY(prepare_product(device, desc, options));
  GroupedMatmulRun result;
  result.tiling = made.config.tiling;
  result.kernel = kernel_name(desc, result.tiling);
  result.result_place = made.result_place;
  result.notes = made.notes;
  Tensor lhs_storage, rhs_storage;
  const Tensor sizes = sizes_tensor(desc);
  DeviceBinding binding{
      {"lhs", input(as_operand(lhs, made.operand, "lhs", lhs_storage, result.notes))},
      {"rhs", input(as_operand(rhs, made.operand, "rhs", rhs_storage, result.notes))},
      {"group_sizes", input(sizes)}};
  // tgmm computes every block, so it does not read an existing result that it overwrites.
  const bool reads_existing = !desc.is_tgmm() || desc.existing == ExistingOut::Accumulate;
  if (desc.existing && reads_existing) binding["existing_out"] = input(*options.existing_out);
  result.out = unwritten(options.out_dtype, shape, options.run);
  TRY(run_prepared(device, *made.executable, std::move(binding), options.precision, options.run,
                   result));
  keep(std::move(made));
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
  const GroupedDesc desc = TRY(describe_gmm(lhs, rhs, group_sizes, options));
  if (options.device == reference_device) {
    const GroupedProblem problem = TRY(gmm_problem(lhs, rhs, group_sizes, options));
    return in_place_of_kernel(reference_gmm, problem, desc, options);
  }
  return run_product(desc, lhs, rhs, {desc.m, desc.n}, options);
} catch (...) {
  return given_up("multiplying groups");
}

Expected<GroupedMatmulRun> run_transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                                         const Tensor& group_sizes,
                                                         const GroupedMatmulOptions& options) try {
  const GroupedDesc desc = TRY(describe_tgmm(lhs, rhs, group_sizes, options));
  if (options.device == reference_device) {
    const GroupedProblem problem = TRY(tgmm_problem(lhs, rhs, group_sizes, options));
    return in_place_of_kernel(reference_tgmm, problem, desc, options);
  }
  const Shape shape{desc.local_groups, desc.k, desc.n};
  if (options.lhs_layout == Layout::km)
    return run_product(desc, transposed(lhs), rhs, shape, options);
  return run_product(desc, lhs, rhs, shape, options);
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
