#include "devices/interpreter/interpreter_device.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "analysis/certificate/points/judged_points.h"
#include "analysis/certificate/points/points.h"
#include "analysis/timeline/deeper_windows.h"
#include "core/lang/language.h"
#include "core/passes/purpose.h"
#include "core/report/try.h"
#include "devices/interpreter/simulated_candidates.h"
#include "devices/profiles/profile.h"
#include "interp/findings/compile_rules.h"
#include "interp/launch.h"

namespace tessera {
namespace {

class SimulatedProgram final : public Executable {
 public:
  explicit SimulatedProgram(const Program& structured)
      : full_(std::make_shared<const Program>(structured)),
        structured_(has_debug_statements(structured)
                        ? std::make_shared<const Program>(without(structured, Purpose::show))
                        : full_),
        points_(structured_) {}

  Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& given) override {
    RunOptions options = given.interpreter ? *given.interpreter : RunOptions{};
    options.machine.devices = static_cast<int>(bindings.size());
    options.machine.profile = given.profile;
    if (options.machine.profile.name.empty()) {
      const Expected<Profile> fallback = find_profile(default_profile);
      CHECK(fallback);
      options.machine.profile = fallback->machine;
    }
    const bool is_split = options.machine.loop_workers > 0;
    if (is_split && !has_points(*structured_))
      return error(fmt::format(
          "{} has no parallel loop or grid dimension for {} loop workers to execute concurrently",
          structured_->name, options.machine.loop_workers));
    // Only a launch recorder and a debug sink receive the values that a program shows.
    const bool shows = options.debug_sink != nullptr || LaunchRecorder::observes(options);
    const Expected<const Program*> program = expanded(is_split, shows ? *full_ : *structured_);
    if (!program) return program.diags();
    for (Observer* observer : options.observers)
      observer->expanded(*structured_, **program, bindings, options);
    Expected<RunResult> result = points_.run(**program, bindings, options);
    if (!result) return result.diags();

    DeviceReport report;
    report.wall_seconds = result->stats.wall_seconds;
    report.findings = result->findings;
    report.simulated = std::make_shared<const RunResult>(*std::move(result));
    return report;
  }

 private:
  // Returns the program with explicit loops and copies. per_point: expanded per iteration.
  Expected<const Program*> expanded(bool per_point, const Program& from) {
    std::optional<Program>& kept = expanded_[per_point ? 1 : 0][&from != structured_.get() ? 1 : 0];
    if (!kept) {
      Expected<Program> made = expand(from, {.per_point = per_point});
      if (!made) return made.diags();
      kept = *std::move(made);
    }
    return &*kept;
  }

  // structured_: without the statements that only show values; the same program if there are none.
  std::shared_ptr<const Program> full_, structured_;
  JudgedPoints points_;
  std::optional<Program> expanded_[2][2];
};

class Interpreter final : public Device {
 public:
  std::string_view name() const override { return "interpreter"; }
  Support available() const override { return {}; }
  Support supports(const Program&, const PrepareOptions& how) const override {
    if (how.may_ignore_hints || how.hints == MachineHints{}) return {};
    return takes_hints(how.hints);
  }

  Support takes_hints(const MachineHints& hints) const override {
    return {false, fmt::format("hints ({}) are for the CUDA kernels, and this runs on interpreter",
                               hints_text(hints))};
  }

  Fp8Products fp8_products(const GroupedDesc&) const override { return Fp8Products::emulated; }

  std::optional<std::string> precision_note(Precision precision) const override {
    if (precision == Precision::Default) return {};
    return "the interpreter computes every precision in f32";
  }

  ConfigChoice default_config(const ConfigQuery& query,
                              const DeviceOptions& options) const override {
    return simulated_choice(query, profile_of(options.profile));
  }

  std::vector<ConfigChoice> candidates(const ConfigQuery& query,
                                       const DeviceOptions& options) const override {
    return simulated_candidates(query, profile_of(options.profile));
  }

  std::string version_key(const DeviceOptions& options) const override {
    constexpr std::string_view version = "1";  // version of the kernels' texts and the time model
    return fmt::format("interpreter {}|{}", profile_of(options.profile).machine.text(), version);
  }

  std::string time_source(const DeviceOptions& options) const override {
    return fmt::format("simulated on {}", profile_of(options.profile).machine.name);
  }

  bool is_simulated() const override { return true; }

  Expected<std::unique_ptr<Executable>> prepare(const Program& structured,
                                                const PrepareOptions& how) const override {
    if (const Support can = supports(structured, how); !can.ok)
      return error(ErrorCode::unsupported, can.reason);
    return std::unique_ptr<Executable>(std::make_unique<SimulatedProgram>(structured));
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
      return {error(ErrorCode::environment, "the run reached a limit before it was done")};
  }
  return {};
}

bool is_launch_only(const DeviceOptions& options) {
  return options.interpreter != nullptr && options.interpreter->max_steps == 0;
}

const Device& interpreter_device() {
  static const Interpreter device;
  return device;
}

}  // namespace tessera
