#include "kernels/grouped_gemm/grouped_gemm.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_gemm/paths.h"
#include "kernels/grouped_gemm/validate.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/launch/axes.h"
#include "kernels/launch/config_request.h"
#include "kernels/launch/launch.h"

namespace tessera {
namespace {

void run_on_reference(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result) {
  Tensor lhs, rhs;
  const std::vector<GroupedGemmProblem> problems = grouped_gemm_problems(
      call, options, multiplied(call, call.lhs, call.lhs_boundary, call.lhs_along(), lhs),
      multiplied(call, call.rhs, call.rhs_boundary, call.rhs_along(), rhs));
  const auto begin = std::chrono::steady_clock::now();
  result.device = reference_device;
  result.kernel = "grouped_gemm";
  result.out = Tensor(call.product.out, call.out_shape);
  for (const GroupedGemmProblem& problem : problems) {
    const Tensor part = reference_grouped_gemm(problem, call.product.out);
    if (part.bytes() > 0)
      std::memcpy(result.out.data() + problem.first_element * size_of(call.product.out),
                  part.data(), static_cast<std::size_t>(part.bytes()));
  }
  result.report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Expected<GroupedGemmRun> run_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options) try {
  const GroupedGemmCall call = TRY(validate_grouped_gemm(lhs, rhs, options));
  if (options.device == reference_device) TRY(refuse_config(config_request(options)));
  if (options.device == reference_device && options.use_async_d2h_group_sizes) return idle_async();
  GroupedGemmRun result;
  result.out_first_dims = call.out_first_dims;
  result.out_last_dims = call.out_last_dims;
  if (options.device == reference_device) {
    run_on_reference(call, options, result);
  } else if (elements(call.out_shape) == 0) {
    const Device* const device = TRY(choose_device(options.device, reference_device));
    result.device = device->name();
    result.kernel = "grouped_gemm";
    result.notes.emplace_back("the result has no elements: nothing ran");
    result.out = Tensor(call.product.out, call.out_shape);
  } else {
    TRY(run_on_path(call, options, result));
  }
  result.out = reshaped(std::move(result.out), call.out_shape);
  return result;
} catch (...) {
  return given_up("multiplying groups");
}

Expected<Tensor> grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                              const GroupedGemmOptions& options) {
  GroupedGemmRun run = TRY(run_grouped_gemm(lhs, rhs, options));
  if (Diags diags = faults(run.report); !diags.empty()) return diags;
  return std::move(run.out);
}

Expected<Support> grouped_gemm_v2_support(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options) {
  const GroupedGemmCall call = TRY(validate_grouped_gemm(lhs, rhs, options));
  return v2_support(call);
}

Expected<GroupedGemmShape> grouped_gemm_shape(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                              const GroupedGemmOptions& options) {
  const GroupedGemmCall call = TRY(validate_grouped_gemm(lhs, rhs, options));
  GroupedGemmShape shape{call.product, call.out_shape, call.flops(), 0, {}};
  const bool is_packed = call.lhs.is_packed() || call.rhs.is_packed();
  for (std::size_t g = 0; g < call.product.sizes.size(); ++g) {
    if (is_packed) shape.of_groups.push_back(call.product_of(g));
    shape.products += call.group_rows(g) * call.group_columns(g) > 0 ? 1 : 0;
  }
  return shape;
}

}  // namespace tessera
