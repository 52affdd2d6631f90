// The time of one candidate: simulated, or measured where there is a device to measure on.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/guarded.h"
#include "devices/interpreter/interpreter_device.h"
#include "devices/interpreter/timed_run.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/grouped_matmul/run.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/inputs/fill.h"
#include "kernels/tuning/cuda_tuning.h"
#include "kernels/tuning/grouped_tuning.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;

struct Operands {
  Tensor lhs, rhs, sizes, existing;
};

Operands operands_of(const GroupedTuningProblem& p) {
  Operands result;
  result.lhs = Tensor::uninitialised(p.lhs, {p.m, p.k});
  const Shape weights =
      p.transpose_rhs ? Shape{p.local_groups, p.n, p.k} : Shape{p.local_groups, p.k, p.n};
  result.rhs = Tensor::uninitialised(p.rhs, p.is_transposed() ? Shape{p.m, p.n} : weights);
  result.sizes = Tensor(DType::i32, {p.groups()});
  for (std::int64_t g = 0; g < p.groups(); ++g)
    result.sizes.set(g, static_cast<double>(p.group_sizes[static_cast<std::size_t>(g)]));
  if (p.accumulates || p.overwrites) {
    result.existing = Tensor::uninitialised(
        p.out, p.is_transposed() ? Shape{p.local_groups, p.k, p.n} : Shape{p.m, p.n});
  }
  return result;
}

GroupedMatmulOptions options_of(const GroupedTuningProblem& p, const Config& config,
                                const Operands& operands) {
  GroupedMatmulOptions options;
  options.out_dtype = p.out;
  options.tiling = config.tiling();
  options.input_buffer_count = config.num_stages;
  options.transpose_rhs = p.transpose_rhs;
  if (p.accumulates || p.overwrites) options.existing_out = &operands.existing;
  options.existing_mode = p.overwrites ? ExistingOut::Overwrite : ExistingOut::Accumulate;
  if (p.local_rows) options.window.rows = GroupWindow::Local;
  if (p.is_transposed()) {
    options.num_actual_groups = p.local_groups;
    options.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  }
  options.device = device_of(p.platform);
  return options;
}

Expected<GroupedMatmulRun> run_once(const GroupedTuningProblem& p, const Operands& operands,
                                    const GroupedMatmulOptions& options) {
  const auto run = p.is_transposed() ? run_transposed_grouped_matmul : run_grouped_matmul;
  Expected<GroupedMatmulRun> result = run(operands.lhs, operands.rhs, operands.sizes, options);
  if (!result) return result.diags();
  if (Diags diags = faults(result->report); !diags.empty()) return diags;
  return result;
}

// How many of the tiles along n are simulated; a pass over the rows for each.
std::int64_t passes(const GroupedTuningProblem& p, const Config& config, std::int64_t most_steps) {
  constexpr std::int64_t steps_of_a_visit = 6;  // two copies of two halves each, waits, product
  const auto tiles = [](std::int64_t size, std::int64_t tile) {
    return std::max<std::int64_t>((size + tile - 1) / tile, 1);
  };
  std::int64_t visits = 0;
  for (const std::int64_t size : p.group_sizes) visits += tiles(size, config.block_m);
  const std::int64_t steps = visits * tiles(p.k, config.block_k) * steps_of_a_visit;
  // Two at least, so that one pass's end and the next one's beginning are among them; there may be
  // one only.
  return std::min(std::max<std::int64_t>(most_steps / steps, 2), tiles(p.n, config.block_n));
}

// The problem of a gradient: its product is one of the two operations again.
GroupedTuningProblem gradient_of_lhs(GroupedTuningProblem p) {
  std::swap(p.k, p.n);
  p.transpose_rhs = !p.transpose_rhs;
  std::swap(p.lhs, p.out);
  p.accumulates = p.overwrites = false;
  return p;
}

GroupedTuningProblem gradient_of_rhs(GroupedTuningProblem p) {
  p.algorithm = "transposed_grouped_matmul";
  std::swap(p.rhs, p.out);
  p.transpose_rhs = false;
  p.accumulates = p.overwrites = false;
  return p;
}

// The time of one call on the device of the problem's platform, on generated operands.
Expected<double> measured_seconds(const GroupedTuningProblem& problem, const Config& config,
                                  const Tuner& tuner) {
  Operands operands = operands_of(problem);
  fill(operands.lhs, Fill::normal, FillRole::lhs, problem.k, 1);
  fill(operands.rhs, Fill::normal, FillRole::rhs, problem.k, 2);
  if (operands.existing.elements() > 0)
    fill(operands.existing, Fill::normal, FillRole::lhs, problem.k, 3);
  const GroupedMatmulOptions options = options_of(problem, config, operands);
  return tuner.mean_seconds([&]() -> Diags {
    const Expected<GroupedMatmulRun> run = run_once(problem, operands, options);
    return run ? Diags() : run.diags();
  });
}

// One tile of the columns, and no rows in any group: all that is there when a run begins, and next
// to no run.
GroupedTuningProblem beginning_of(GroupedTuningProblem p, const Config& config) {
  p.k = std::min(p.k, config.block_k);
  p.n = std::min(p.n, config.block_n);
  std::fill(p.group_sizes.begin(), p.group_sizes.end(), 0);
  return p;
}

// Whether there is a CUDA kernel of the call.
Diags check_lowering(const GroupedTuningProblem& p, const Operands& operands,
                     const GroupedMatmulOptions& options) {
  const auto validate = p.is_transposed() ? validate_tgmm : validate_gmm;
  const auto settings = p.is_transposed() ? kernel_settings : gmm_settings;
  const Expected<GroupedCall> call = validate(operands.lhs, operands.rhs, operands.sizes, options);
  if (!call) return call.diags();
  return check_lowering(p.is_transposed() ? "tgmm" : "gmm", settings(*call, options), options);
}

}  // namespace

Diags check_fit(const GroupedTuningProblem& problem, const Config& config) {
  if (Diags diags = check_use(problem, config); !diags.empty()) return diags;
  const GroupedTuningProblem part = beginning_of(problem, config);
  const Operands operands = operands_of(part);
  GroupedMatmulOptions options = options_of(part, config, operands);
  options.align = config.align;
  options.hints = config.hints;
  if (problem.platform == Platform::Cuda) return check_lowering(part, operands, options);
  const TimedRun timed(problem.profile);
  options.run = timed.options();
  const Expected<GroupedMatmulRun> run = run_once(part, operands, options);
  return run ? Diags() : run.diags();
}

Expected<double> simulated_seconds(const GroupedTuningProblem& problem, const Config& config,
                                   std::int64_t most_steps) {
  GroupedTuningProblem part = problem;
  part.platform = Platform::Interpreter;
  const std::int64_t simulated = passes(problem, config, most_steps) * config.block_n;
  part.n = std::min(problem.n, simulated);
  const Operands operands = operands_of(part);
  const TimedRun timed(problem.profile);
  GroupedMatmulOptions options = options_of(part, config, operands);
  options.run = timed.options();
  const Expected<GroupedMatmulRun> run = run_once(part, operands, options);
  if (!run) return run.diags();
  const Expected<double> seconds = timed.seconds();
  if (!seconds || part.n <= 0) return seconds;
  return *seconds * static_cast<double>(problem.n) / static_cast<double>(part.n);
}

Expected<TuningResult<Config>> tune_grouped(const GroupedTuningProblem& problem,
                                            const AutotunePolicy& policy, const Tuner& tuner) try {
  const GroupedTuningProblem whole = representative(problem);
  if (problem.platform == Platform::Cuda) {
    if (!policy.validate_backward) return time_on_cuda(whole, tuner);
    return error(ErrorCode::unsupported,
                 "on CUDA a configuration is of one product: each gradient is tuned by itself");
  }
  std::vector<GroupedTuningProblem> products = {whole};
  if (policy.validate_backward && !whole.is_transposed()) {
    products.push_back(gradient_of_lhs(whole));
    products.push_back(gradient_of_rhs(whole));
  }
  const bool simulates = problem.platform == Platform::Interpreter;
  const auto measure = [&](const Config& config) -> Expected<double> {
    double sum = 0;
    for (const GroupedTuningProblem& product : products) {
      const Config own = clamped(config, product.m, product.k, product.n);
      const Expected<double> seconds =
          simulates ? simulated_seconds(product, own) : measured_seconds(product, own, tuner);
      if (!seconds) return seconds.diags();
      sum += *seconds;
    }
    return sum;
  };
  const auto bound = [&](const Config& config) {
    return simulates ? least_seconds(whole, config) : 0.0;
  };
  return Tuner::tune<Config>(grouped_candidates(problem), measure, bound);
} catch (...) {
  return given_up("timing candidates");
}

Expected<TuningResult<Config>> time_candidates(const GroupedTuningProblem& problem,
                                               const Tuner& tuner) try {
  if (problem.platform == Platform::Cuda) return time_on_cuda(problem, tuner);
  const auto measure = [&](const Config& config) {
    return problem.platform == Platform::Interpreter ? simulated_seconds(problem, config, INT64_MAX)
                                                     : measured_seconds(problem, config, tuner);
  };
  return Tuner::tune<Config>(grouped_candidates(problem), measure);
} catch (...) {
  return given_up("timing candidates");
}

}  // namespace tessera
