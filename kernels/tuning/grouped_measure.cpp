// Time of one candidate, simulated or measured.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/interpreter/interpreter_device.h"
#include "devices/interpreter/timed_run.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/inputs/fill.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/grouped_tuning.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;
using Result = TuningResult<Config>;

constexpr std::int64_t some_steps = 200'000;

struct Operands {
  Tensor lhs, rhs, sizes, existing;
};

Operands operands_of(const GroupedDesc& d) {
  Operands result;
  result.lhs = Tensor::uninitialised(d.lhs, {d.m, d.k});
  const Shape weights =
      d.transpose_rhs ? Shape{d.local_groups, d.n, d.k} : Shape{d.local_groups, d.k, d.n};
  result.rhs = Tensor::uninitialised(d.rhs, d.is_tgmm() ? Shape{d.m, d.n} : weights);
  result.sizes = i32_tensor(d.sizes);
  if (d.existing) {
    result.existing = Tensor::uninitialised(
        d.out, d.is_tgmm() ? Shape{d.local_groups, d.k, d.n} : Shape{d.m, d.n});
  }
  return result;
}

GroupedMatmulOptions options_of(const GroupedTuningProblem& p, const KernelConfig& config,
                                const Operands& operands) {
  const GroupedDesc& d = p.desc;
  GroupedMatmulOptions options;
  options.out_dtype = d.out;
  options.tiling = config.tiling;
  options.input_buffer_count = config.buffers;
  options.transpose_rhs = d.transpose_rhs;
  if (d.existing) {
    options.existing_out = &operands.existing;
    options.existing_mode = *d.existing;
  }
  if (d.local_rows) options.window.rows = GroupWindow::Local;
  if (d.is_tgmm()) {
    options.num_actual_groups = d.local_groups;
    options.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  }
  options.device = device_of(p.platform);
  return options;
}

Expected<GroupedMatmulRun> run_once(const GroupedTuningProblem& p, const Operands& operands,
                                    const GroupedMatmulOptions& options) {
  const auto run = p.desc.is_tgmm() ? run_transposed_grouped_matmul : run_grouped_matmul;
  Expected<GroupedMatmulRun> result = run(operands.lhs, operands.rhs, operands.sizes, options);
  if (!result) return result.diags();
  if (Diags diags = faults(result->report); !diags.empty()) return diags;
  return result;
}

// Number of tiles along n to simulate. Each is one pass over the rows.
std::int64_t passes(const GroupedTuningProblem& p, const KernelConfig& config,
                    std::int64_t max_steps) {
  constexpr std::int64_t steps_of_a_visit = 6;  // two copies with two sides each, waits, product
  const auto tiles = [](std::int64_t size, std::int64_t tile) {
    return std::max<std::int64_t>((size + tile - 1) / tile, 1);
  };
  std::int64_t visits = 0;
  for (const std::int64_t size : p.desc.sizes) visits += tiles(size, config.tiling.m);
  const std::int64_t steps = visits * tiles(p.desc.k, config.tiling.k) * steps_of_a_visit;
  // At least two passes, if n has two tiles, to include the transition from one pass to the next.
  return std::min(std::max<std::int64_t>(max_steps / steps, 2), tiles(p.desc.n, config.tiling.n));
}

// Problem of a gradient: its product is also gmm or tgmm.
GroupedTuningProblem gradient_of_lhs(GroupedTuningProblem p) {
  std::swap(p.desc.k, p.desc.n);
  p.desc.transpose_rhs = !p.desc.transpose_rhs;
  std::swap(p.desc.lhs, p.desc.out);
  p.desc.existing.reset();
  return p;
}

GroupedTuningProblem gradient_of_rhs(GroupedTuningProblem p) {
  p.desc.kind = GroupedKind::tgmm;
  std::swap(p.desc.rhs, p.desc.out);
  p.desc.transpose_rhs = false;
  p.desc.existing.reset();
  return p;
}

// Measures one call on the device of the problem's platform, on generated operands.
Expected<double> measured_seconds(const GroupedTuningProblem& problem, const KernelConfig& config,
                                  const Tuner& tuner) {
  Operands operands = operands_of(problem.desc);
  fill(operands.lhs, Fill::normal, FillRole::lhs, problem.desc.k, 1);
  fill(operands.rhs, Fill::normal, FillRole::rhs, problem.desc.k, 2);
  if (problem.desc.existing)
    fill(operands.existing, Fill::normal, FillRole::lhs, problem.desc.k, 3);
  const GroupedMatmulOptions options = options_of(problem, config, operands);
  return tuner.mean_seconds([&]() -> Diags {
    const Expected<GroupedMatmulRun> run = run_once(problem, operands, options);
    return run ? Diags() : run.diags();
  });
}

// Measures the candidates of the first product. The time of a candidate is the sum over all
// products. Simulations with max_steps == some_steps are a search: candidates that cannot be the
// fastest are skipped.
Expected<Result> timed(const std::vector<GroupedTuningProblem>& products, std::int64_t max_steps,
                       const Tuner& tuner) try {
  const GroupedTuningProblem& problem = products.front();
  const Device* const device = problem.device();
  const bool simulates = device != nullptr && device->is_simulated();
  const bool launches = device != nullptr && device->supports_launch();
  const std::vector<ConfigChoice> choices = grouped_candidates(problem);
  std::vector<Config> configs;
  for (const ConfigChoice& choice : choices) configs.push_back({.kernel = choice.config});
  std::vector<Expected<double>> launched;
  if (launches) launched = TRY(seconds_on_device(problem, choices, tuner));
  auto next = launched.begin();
  const auto measure = [&](const Config& config) -> Expected<double> {
    if (launches) return *next++;
    double sum = 0;
    for (const GroupedTuningProblem& product : products) {
      const GroupedDesc& d = product.desc;
      Config own = config;
      own.kernel = clamped(config.kernel, d.k, d.n);
      sum += TRY(simulates ? simulated_seconds(product, own, max_steps)
                           : measured_seconds(product, own.kernel, tuner));
    }
    return sum;
  };
  std::function<double(const Config&)> bound;
  if (simulates && max_steps == some_steps)
    bound = [&](const Config& config) { return least_seconds(problem, config); };
  Result result = TRY(Tuner::tune<Config>(configs, measure, bound));
  for (std::size_t i = 0; i < choices.size(); ++i)
    result.candidates[i].expected = choices[i].expected_seconds;
  return result;
} catch (...) {
  return given_up("timing candidates");
}

// Returns the problem with one tile of columns and empty groups. A run of it has the memory of the
// whole problem, but takes few steps.
GroupedTuningProblem beginning_of(GroupedTuningProblem p, const KernelConfig& config) {
  p.desc.k = std::min(p.desc.k, config.tiling.k);
  p.desc.n = std::min(p.desc.n, config.tiling.n);
  std::fill(p.desc.sizes.begin(), p.desc.sizes.end(), 0);
  return p;
}

// Checks whether the device has a kernel for the call. Hints may be ignored.
Expected<void> check_kernel(const GroupedTuningProblem& problem, const KernelConfig& config) {
  const Program program = TRY(kernel_program(multiplied_desc(problem), config));
  const Support can =
      problem.device()->supports(program, {.hints = config.hints, .may_ignore_hints = true});
  if (!can.ok) return error(ErrorCode::unsupported, can.reason);
  return {};
}

}  // namespace

Expected<void> check_fit(const GroupedTuningProblem& problem, const Config& config) {
  TRY(check_use(problem, config));
  const GroupedTuningProblem part = beginning_of(problem, config.kernel);
  if (problem.device() != nullptr && !problem.device()->is_simulated()) {
    return check_kernel(part, config.kernel);
  }
  const Operands operands = operands_of(part.desc);
  GroupedMatmulOptions options = options_of(part, config.kernel, operands);
  options.align = config.kernel.align;
  const TimedRun timed(problem.profile);
  options.run = timed.options();
  TRY(run_once(part, operands, options));
  return {};
}

Expected<double> simulated_seconds(const GroupedTuningProblem& problem, const Config& config,
                                   std::int64_t max_steps) {
  GroupedTuningProblem part = problem;
  part.platform = simulated_platform();
  const KernelConfig& kernel = config.kernel;
  const std::int64_t simulated = passes(problem, kernel, max_steps) * kernel.tiling.n;
  part.desc.n = std::min(problem.desc.n, simulated);
  const Operands operands = operands_of(part.desc);
  const TimedRun timed(problem.profile);
  GroupedMatmulOptions options = options_of(part, kernel, operands);
  options.run = timed.options();
  const Expected<GroupedMatmulRun> run = run_once(part, operands, options);
  if (!run) return run.diags();
  const Expected<double> seconds = timed.seconds();
  if (!seconds || part.desc.n <= 0) return seconds;
  return *seconds * static_cast<double>(problem.desc.n) / static_cast<double>(part.desc.n);
}

Expected<Result> tune_grouped(const GroupedTuningProblem& problem, const AutotunePolicy& policy,
                              const Tuner& tuner) {
  std::vector<GroupedTuningProblem> products = {representative(problem)};
  const Device* const device = problem.device();
  if (policy.validate_backward && device != nullptr && device->supports_launch())
    return error(
        ErrorCode::unsupported,
        fmt::format("on {} a configuration is for one product: tune each gradient separately",
                    device->name()));
  if (policy.validate_backward && !problem.desc.is_tgmm()) {
    products.push_back(gradient_of_lhs(products.front()));
    products.push_back(gradient_of_rhs(products.front()));
  }
  return timed(products, some_steps, tuner);
}

Expected<Result> time_candidates(const GroupedTuningProblem& problem, const Tuner& tuner) {
  return timed({problem}, INT64_MAX, tuner);
}

}  // namespace tessera
