#include "devices/interpreter/interpreter_device.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/language.h"
#include "devices/profile.h"
#include "interp/certificate/point_structure.h"

namespace tessera {
namespace {

// The points of parallel loops: by the form of the program, or else by a run of single points.
Diags judge(const Program& structured, const std::vector<DeviceBinding>& bindings,
            const RunOptions& options) {
  PointsVerdict& verdict = *options.points;
  if (std::optional<std::vector<ParallelLoop>> loops = independent_by_structure(structured)) {
    verdict = {.loops = *std::move(loops), .in_parts = verdict.in_parts};
    return {};
  }
  const Expected<Program> per_point = expand(structured, {.per_point = true});
  if (!per_point) return per_point.diags();
  Expected<PointsVerdict> points = judge_points(*per_point, bindings, options, verdict.in_parts);
  if (!points) return points.diags();
  verdict = *std::move(points);
  return {};
}

class Interpreter final : public Device {
 public:
  std::string_view name() const override { return "interpreter"; }
  Support available() const override { return {}; }
  Support supports(const Program&) const override { return {}; }

  Expected<DeviceReport> run(const Program& structured, const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& given) const override {
    RunOptions options = given.interpreter ? *given.interpreter : RunOptions{};
    options.devices = static_cast<int>(bindings.size());
    options.profile = given.profile;
    if (options.profile.name.empty()) {
      const Expected<Profile> fallback = find_profile(default_profile);
      CHECK(fallback);
      options.profile = fallback->machine;
    }
    const bool is_split = options.point_cores > 0;
    if (is_split && !has_points(structured))
      return error(
          fmt::format("{} has no parallel loop or grid dimension, whose points {} "
                      "point-cores could do side by side",
                      structured.name, options.point_cores));
    const Expected<Program> expanded = expand(structured, {.per_point = is_split});
    if (!expanded) return expanded.diags();
    if (options.points != nullptr && has_points(structured))
      if (Diags unjudged = judge(structured, bindings, options); !unjudged.empty()) return unjudged;
    Expected<RunResult> result = tessera::run(*expanded, bindings, options);
    if (!result) return result.diags();

    DeviceReport report;
    report.wall_seconds = result->stats.wall_seconds;
    report.findings = result->findings;
    report.simulated = std::make_shared<const RunResult>(*std::move(result));
    return report;
  }
};

}  // namespace

Diags faults(const DeviceReport& report) {
  Diags diags;
  for (const Finding& finding : report.findings) diags.push_back(as_error(finding));
  if (!diags.empty() || !report.simulated) return diags;
  switch (report.simulated->end) {
    case RunEnd::program:
      return {};
    case RunEnd::stop:
      return {error(ErrorCode::interrupted, "the run was interrupted before it was done")};
    case RunEnd::steps:
    case RunEnd::events:
    case RunEnd::memory:
      return {error(ErrorCode::environment, "the run came to a limit before it was done")};
  }
  return {};
}

bool is_launch_only(const DeviceOptions& options) {
  return options.interpreter != nullptr && options.interpreter->launch_only;
}

const Device& interpreter_device() {
  static const Interpreter device;
  return device;
}

}  // namespace tessera
