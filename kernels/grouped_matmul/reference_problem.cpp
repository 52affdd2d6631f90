// Grouped matmul calls in the format of the reference.
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/grouped_matmul/validate.h"

namespace tessera {
namespace {

GroupedProblem problem(const GroupedDesc& desc, const Tensor& lhs, const Tensor& rhs,
                       const GroupedMatmulOptions& options) {
  GroupedProblem result;
  result.lhs = &lhs;
  result.rhs = &rhs;
  result.group_sizes = desc.sizes;
  result.group_offset = options.window.offset;
  result.local_groups = desc.local_groups;
  result.local_rows = options.window.rows == GroupWindow::Local;
  result.existing = options.existing_out;
  result.accumulate = options.existing_mode == ExistingOut::Accumulate;
  return result;
}

}  // namespace

Expected<GroupedProblem> gmm_problem(const Tensor& lhs, const Tensor& rhs,
                                     const Tensor& group_sizes,
                                     const GroupedMatmulOptions& options) try {
  const GroupedDesc desc = TRY(describe_gmm(lhs, rhs, group_sizes, options));
  GroupedProblem result = problem(desc, lhs, rhs, options);
  result.transpose_rhs = options.transpose_rhs;
  return result;
} catch (...) {
  return given_up("preparing a reference");
}

Expected<GroupedProblem> tgmm_problem(const Tensor& lhs, const Tensor& rhs,
                                      const Tensor& group_sizes,
                                      const GroupedMatmulOptions& options) try {
  const GroupedDesc desc = TRY(describe_tgmm(lhs, rhs, group_sizes, options));
  GroupedProblem result = problem(desc, lhs, rhs, options);
  result.transpose_lhs = options.lhs_layout == GroupedMatmulOptions::LhsLayout::km;
  return result;
} catch (...) {
  return given_up("preparing a reference");
}

}  // namespace tessera
