#include "kernels/tuning/cuda_tuning.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "devices/cuda/lower/general.h"
#include "devices/cuda/runtime/timer.h"
#include "kernels/launch/device_arrays.h"
#include "kernels/launch/launch_tuning.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;
using cuda::Problem;

Config config_of(const cuda::Configuration& given, bool is_tgmm) {
  Config config;
  config.block_m = given.tiling.m;
  config.block_k = given.tiling.k;
  config.block_n = given.tiling.n;
  config.num_stages = given.buffers;
  if (!is_tgmm) config.align = given.align;
  config.hints = given.hints;
  return config;
}

bool has_fast_kernel(const DeviceGroupedMatmul& call, const cuda::Configuration& configuration) {
  if (cuda::driver_available().ok && !cuda::device_facts().has_fast_kernels()) return false;
  const Expected<Program> program = call.program(configuration);
  return program && cuda::lower(*program, configuration.hints);
}

// The operands of one problem on the device.
struct DeviceProblem {
  DeviceArrays arrays;
  cuda::DeviceOperands operands;

  Problem make(const GroupedTuningProblem& p, const DeviceGroupedMatmul& call) {
    // As the call counts them: 0 local groups are all that follow.
    const std::int64_t local =
        call.local_groups > 0 ? call.local_groups : call.groups - call.group_offset;
    const std::int64_t weights = local * p.k * p.n, rows = p.m * p.n;
    const std::int64_t right = p.is_transposed() ? rows : weights;
    const std::int64_t results = p.is_transposed() ? weights : rows;
    if (auto problem = add("lhs", call.operand, p.m * p.k, 1)) return problem;
    if (auto problem = add("rhs", call.operand, right, 2)) return problem;
    if (call.existing) {
      if (auto problem = add("existing_out", call.out, results, 3)) return problem;
    }
    if (auto problem = arrays.add(operands["out"], results * size_of(call.out))) return problem;
    const auto first = p.group_sizes.begin();
    return arrays.add_sizes(operands["group_sizes"], {first, first + call.groups});
  }

 private:
  Problem add(const char* name, DType dtype, std::int64_t elements, std::uint64_t seed) {
    if (auto problem = arrays.add(operands[name], elements * size_of(dtype))) return problem;
    return DeviceArrays::fill_normal(operands[name], dtype, elements, seed);
  }
};

// The kernel of one candidate, timed as often as it is asked; its first error for ever.
TimedArm arm_of(Expected<std::shared_ptr<cuda::Kernel>> kernel,
                const std::shared_ptr<cuda::DeviceTimer>& timer,
                const cuda::DeviceOperands& operands) {
  return [kernel = std::move(kernel), timer, &operands]() -> Expected<double> {
    if (!kernel) return kernel.diags();
    const Expected<double> took =
        timer->seconds([&] { return (*kernel)->launch(operands, nullptr); });
    if (!took) return took;
    if (auto problem = (*kernel)->check()) return *problem;
    return took;
  };
}

}  // namespace

DeviceGroupedMatmul device_call(const GroupedTuningProblem& p) {
  DeviceGroupedMatmul call;
  const bool is_tgmm = p.is_transposed();
  call.kind = is_tgmm ? DeviceGroupedMatmul::Kind::tgmm : DeviceGroupedMatmul::Kind::gmm;
  call.m = p.m;
  call.k = p.k;
  call.n = p.n;
  // tgmm's rows are global: with the local groups alone, local rows are.
  call.groups = is_tgmm && p.local_rows ? p.local_groups : p.groups();
  const bool narrow = !is_tgmm && p.lhs == p.rhs &&
                      stays_fp8({p.lhs, p.rhs, p.transpose_rhs, p.k, p.precision == "default"});
  call.operand = narrow ? p.lhs : common_operand(p.lhs, p.rhs).value_or(p.lhs);
  call.out = p.out;
  call.transpose_rhs = p.transpose_rhs;
  call.local_groups = p.local_groups;
  call.local_rows = !is_tgmm && p.local_rows;
  if (p.accumulates) call.existing = ExistingOut::Accumulate;
  // tgmm computes every block: one that is overwritten plays no part.
  if (p.overwrites && !is_tgmm) call.existing = ExistingOut::Overwrite;
  call.expected_sizes = p.group_sizes;
  return call;
}

cuda::Configuration cuda_configuration(const Config& config) {
  return {config.tiling(), config.num_stages, config.align.value_or(config.block_m), config.hints};
}

std::vector<CudaCandidate> cuda_candidates(const GroupedTuningProblem& problem, std::size_t most) {
  const bool is_tgmm = problem.is_transposed();
  const DeviceGroupedMatmul call = device_call(problem);
  const std::vector<cuda::Estimate> all =
      cuda::estimates(call.shape(), cuda::gpu_figures(cuda::device_facts()));
  std::vector<CudaCandidate> result;
  for (const cuda::Estimate& estimate : all) {
    if (result.size() >= most) return result;
    if (has_fast_kernel(call, estimate.configuration))
      result.push_back({config_of(estimate.configuration, is_tgmm), estimate.seconds});
  }
  if (!result.empty()) return result;
  for (const cuda::Estimate& estimate : all) {
    CudaCandidate plain{config_of(estimate.configuration, is_tgmm), {}};
    plain.config.hints = {};
    const bool is_known = std::any_of(result.begin(), result.end(), [&](const CudaCandidate& c) {
      return c.config.tiling() == plain.config.tiling();
    });
    if (!is_known && result.size() < most) result.push_back(std::move(plain));
  }
  return result;
}

TuningResult<Config> expected_on_cuda(const GroupedTuningProblem& problem) {
  TuningResult<Config> result;
  for (CudaCandidate& candidate : cuda_candidates(problem))
    result.candidates.push_back({std::move(candidate.config), {}, {}, candidate.expected});
  return result;
}

Expected<TuningResult<Config>> time_on_cuda(const GroupedTuningProblem& problem,
                                            const Tuner& tuner) {
  const Expected<std::shared_ptr<cuda::DeviceTimer>> timer = cuda::DeviceTimer::make();
  if (!timer) return timer.diags();
  DeviceGroupedMatmul call = device_call(problem);
  DeviceProblem data;
  if (auto failed = data.make(problem, call)) return *failed;
  const std::vector<CudaCandidate> candidates = cuda_candidates(problem);
  std::vector<TimedArm> arms;
  std::vector<Config> configs;
  for (const CudaCandidate& candidate : candidates) {
    call.given = cuda_configuration(candidate.config);
    arms.push_back(arm_of(device_grouped_matmul(call), *timer, data.operands));
    configs.push_back(candidate.config);
  }
  const std::vector<Expected<double>> times = seconds_in_turn(arms, tuner.warmup, tuner.iters);
  std::size_t next = 0;
  Expected<TuningResult<Config>> result =
      Tuner::tune<Config>(configs, [&](const Config&) { return times[next++]; });
  if (!result) return result;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    result->candidates[i].expected = candidates[i].expected;
  return result;
}

}  // namespace tessera
