#include "cli/reports/compared_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/running_error/bounded_run.h"
#include "core/report/check.h"
#include "core/report/try.h"
#include "interp/findings/describe.h"
#include "interp/launch.h"
#include "interp/memory/layout.h"

namespace tessera::cli {
namespace {

using running_error::ErrorRun;

constexpr std::string_view other_rules = "use --rtol SHARE or --atol DIFFERENCE instead";

// Records the run, so that it can be repeated.
Expected<KeptRun> kept(const std::vector<DeviceBinding>& results, Executable& executable,
                       const DeviceOptions& options) {
  const auto simulate = [&](const RunOptions& once) {
    return executable.run_with_all(results, {options.profile, &once});
  };
  std::optional<KeptRun> launch = TRY(launch_of(simulate, *options.interpreter));
  CHECK(launch);  // present: the device is simulated
  return *std::move(launch);
}

BufferId named(const Program& program, const std::string& name) {
  for (const BufferId id : program.buffers.ids())
    if (program.buffers[id].name == name) return id;
  return {};
}

void judge_by_bounds(const KeptRun& run, const ErrorRun& errors, ComparedResult& result) {
  const Expectation& expected = *result.expected;
  result.bounds = errors.bounds(named(run.program, expected.buffer->name), expected.device);
  result.comparison = compare_by_bounds(*result.got, expected.tensor, result.bounds);
  const std::int64_t first = result.comparison.first_unbounded;
  if (first >= 0) result.why_unbounded = errors.why(result.bounds[static_cast<std::size_t>(first)]);
}

std::optional<running_error::ReferenceModel> reference_model(const Expectation& expected) {
  if (!expected.computed_in) return std::nullopt;
  return running_error::ReferenceModel(*expected.computed_in, expected.by_xla_cpu);
}

// Error for the first element that differs and has no error bound; none if there is no such
// element.
std::optional<Diag> not_decided(const KeptRun& run, const std::vector<ComparedResult>& results) {
  for (const ComparedResult& result : results) {
    if (!result.why_unbounded) continue;
    const Expectation& expected = *result.expected;
    const BufferId buffer = named(run.program, expected.buffer->name);
    Diag diag = *result.why_unbounded;
    diag.message =
        fmt::format("--expect {}={}: {} on dev{} differs, and its error has no bound: {}; {}",
                    expected.buffer->name, expected.source,
                    element_text(run.program, buffer,
                                 Layout(*expected.buffer).index(result.comparison.first_unbounded)),
                    expected.device, diag.message, other_rules);
    return diag;
  }
  return std::nullopt;
}

}  // namespace

bool ComparedResult::is_right(std::int64_t element) const {
  return expected->rule == Rule::running_bound
             ? agreement(*got, expected->tensor, element, bounds) != Agreement::wrong
             : agrees(*got, expected->tensor, element, expected->tolerance);
}

Expected<std::vector<ComparedResult>> compare(const std::vector<Expectation>& expectations,
                                              const std::vector<DeviceBinding>& results,
                                              Executable& executable,
                                              const DeviceOptions& options) {
  std::optional<KeptRun> run;
  std::unique_ptr<ErrorRun> errors;
  std::vector<ComparedResult> compared;
  bool are_right = true;
  for (const Expectation& each : expectations) {
    const auto& of_device = results[static_cast<std::size_t>(each.device)];
    ComparedResult result{&each, of_device.find(each.buffer->name)->second};
    if (each.rule == Rule::running_bound) {
      if (!errors) {
        run = TRY(kept(results, executable, options));
        auto bounded = running_error::bounded(*run, reference_model(each));
        if (!bounded) {
          Diags diags = bounded.diags();
          for (Diag& diag : diags)
            if (diag.code == ErrorCode::unsupported)
              diag.message = fmt::format("--expect {}={}: its error has no bound: {}; {}",
                                         each.buffer->name, each.source, diag.message, other_rules);
          return diags;
        }
        errors = *std::move(bounded);
      }
      judge_by_bounds(*run, *errors, result);
    } else {
      result.comparison = tessera::compare(*result.got, each.tensor, each.tolerance);
    }
    are_right = are_right && result.comparison.wrong == 0;
    compared.push_back(std::move(result));
  }
  if (are_right && run)
    if (std::optional<Diag> open = not_decided(*run, compared)) return Diags{*std::move(open)};
  return compared;
}

}  // namespace tessera::cli
