#include "cli/operations/collective.h"

#include <fmt/format.h>

#include <array>
#include <ostream>

#include "cli/args/fill_operand.h"
#include "cli/reports/observation.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

struct Done {
  Status status = Status::ok;
  DeviceReport report;
  std::optional<Verdict> verdict;
};

Check choose_check(const Arguments& arguments, const Collective& collective, Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"full", "sample", "none"};
  const Check given = static_cast<Check>(arguments.choice("check", words, diags));
  if (collective.request.options.math == Math::none) {
    if (arguments.has("check") && given != Check::none)
      diags.push_back(error("--check compares values, and --no-math computes none"));
    return Check::none;
  }
  if (arguments.has("check")) return given;
  return default_check(static_cast<double>(collective.flops));
}

std::string shape_text(const Json& shape) {
  std::string text;
  for (const auto& [name, extent] : shape.members())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, extent.text());
  return text;
}

std::string time_text(const Collective& collective, const Done& done) {
  const double seconds = done.report.wall_seconds;
  std::string text = human_seconds(seconds);
  const bool computed =
      done.report.findings.empty() && collective.request.options.math != Math::none;
  if (computed && collective.flops > 0 && seconds > 0)
    text += fmt::format(", {:.3g} GFLOP/s", static_cast<double>(collective.flops) / seconds * 1e-9);
  return text;
}

void print_report(Console& console, const Arguments& arguments, const Collective& collective,
                  const Done& done) {
  const Launch& launch = *collective.launch;
  std::string kernel = launch.kernel;
  if (launch.calls > 1) kernel += fmt::format(", {} calls", launch.calls);
  console.out << line("kernel", kernel);
  console.out << line("shape", shape_text(collective.shape));
  console.out << line("types", collective.types);
  console.out << run_lines(arguments, collective.request, done.report);
  console.out << line("time", time_text(collective, done));
  for (const std::string& note : collective.notes) console.out << line("note", note);
  if (done.verdict) {
    console.out << line(done.verdict->ok ? "ok" : "MISMATCH", done.verdict->message);
  } else if (done.status == Status::ok) {
    console.out << line("ok", "not checked");
  }
  console.out << finding_lines(arguments, collective.request, done.report);
}

Json report_json(const Arguments& arguments, const Collective& collective, const Done& done) {
  const Launch& launch = *collective.launch;
  Json object = {{"status", name(done.status)},
                 {"device", collective.request.device_name()},
                 {"devices", collective.request.options.devices},
                 {"kernel", launch.kernel},
                 {"calls", launch.calls},
                 {"shape", collective.shape},
                 {"parameters", Json::object()}};
  for (const auto& [parameter, value] : launch.settings) {
    const std::optional<std::int64_t> number = parse_integer(value);
    object["parameters"][parameter] = number ? Json(*number) : Json(value);
  }
  object["flops"] = collective.flops;
  add_run(object, arguments, collective.request, done.report);
  const Verdict* const verdict = done.verdict ? &*done.verdict : nullptr;
  object["max_abs_error"] = verdict ? Json(verdict->max_abs_error) : Json();
  object["max_error_over_bound"] = verdict ? Json(verdict->max_error_over_bound) : Json();
  object["checked_rows"] = verdict ? verdict->checked_rows : 0;
  object["overflowed_elements"] = verdict ? verdict->overflowed_elements : 0;
  if (verdict && !verdict->ok) object["error"] = verdict->message;
  if (!collective.notes.empty()) object["notes"] = collective.notes;
  return object;
}

// Its operands are filled unless the launch is refused.
Expected<Collective> call_for_launch(PrepareCollective prepare, const Arguments& arguments) {
  return filled_for_launch(
      [&] { return prepare(arguments); },
      [](Collective& collective) {
        const RunOptions launch = launch_options(collective.request);
        CollectiveOptions options = collective.options;
        options.run = {collective.request.profile.machine, &launch};
        const Expected<DeviceReport> report = tessera::run(*collective.launch, options);
        collective.request.options.launch_only = !report || !report->findings.empty();
        return collective.request.options.launch_only;
      });
}

}  // namespace

int run_collective(PrepareCollective prepare, const Arguments& arguments, Console& console) {
  Expected<Collective> collective = call_for_launch(prepare, arguments);
  if (!collective) return fail(console, collective.diags());
  Diags diags;
  const std::vector<std::string>& more = collective->launch->notes;
  collective->notes.insert(collective->notes.end(), more.begin(), more.end());
  CheckOptions how;
  how.check = choose_check(arguments, *collective, diags);
  if (diags.empty()) diags = arguments.unread();
  if (!diags.empty()) return fail(console, diags);
  how.values = collective->whole ? Arithmetic::Values::whole : Arithmetic::Values::any;

  Observation observation(collective->request, console);
  CollectiveOptions options = collective->options;
  options.run = {collective->request.profile.machine, &observation.options()};
  Progress::phase("running");
  Expected<DeviceReport> report = run(*collective->launch, options);
  if (!report) return fail(console, report.diags());
  Done done{status_of(*report), *std::move(report), {}};
  if (done.status == Status::ok && how.check != Check::none) {
    done.verdict = judged([&] { return collective->judge(*collective->launch, how); });
    done.status = !done.verdict      ? Status::interrupted
                  : done.verdict->ok ? Status::ok
                                     : Status::mismatch;
  }
  diags = observation.finish();
  for (const Diag& unsaved : save_schedule(collective->request, done.report))
    diags.push_back(unsaved);
  return cli::report(
      console, done.status, diags, [&] { return report_json(arguments, *collective, done); },
      [&] { print_report(console, arguments, *collective, done); });
}

Expected<Prepared> verifiable(PrepareCollective prepare, const Arguments& arguments) {
  Expected<Collective> call = call_for_launch(prepare, arguments);
  if (!call) return call.diags();
  struct State {
    Collective collective;
    std::unique_ptr<Executable> executable;
  };
  const auto state = std::make_shared<State>();
  state->collective = *std::move(call);
  const Expected<Program> program = make_program(*state->collective.launch);
  if (!program) return program.diags();
  Expected<std::unique_ptr<Executable>> executable =
      state->collective.request.device->prepare(*program);
  if (!executable) return executable.diags();
  state->executable = *std::move(executable);
  const Launch& launch = *state->collective.launch;
  Prepared prepared{state->collective.request, {}, {}};
  prepared.kernel = fmt::format("{}, {}", launch.kernel, shape_text(state->collective.shape));
  if (launch.calls > 1) prepared.kernel += fmt::format(", {} calls", launch.calls);
  prepared.simulate = [state](const RunOptions& options) -> Expected<RunResult> {
    const RunRequest& request = state->collective.request;
    const Expected<DeviceReport> report = state->executable->run(
        state->collective.launch->devices, {request.profile.machine, &options});
    if (!report) return report.diags();
    return *report->simulated;
  };
  return prepared;
}

}  // namespace tessera::cli
