// run: runs a kernel of a file on the simulated machine or on another device.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/args/bindings.h"
#include "cli/args/expectations.h"
#include "cli/args/run_options.h"
#include "cli/args/run_request.h"
#include "cli/args/source_file.h"
#include "cli/args/strict_values.h"
#include "cli/args/suggestion.h"
#include "cli/command.h"
#include "cli/debug/debug_on_finding.h"
#include "cli/debug/dumps.h"
#include "cli/debug/why_wrong.h"
#include "cli/reports/expectation_report.h"
#include "cli/reports/finding_text.h"
#include "cli/reports/node_check_text.h"
#include "cli/reports/observation.h"
#include "cli/reports/report.h"
#include "cli/reports/settings_text.h"
#include "core/lang/language.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "devices/teams.h"
#include "interp/observe/value_use.h"
#include "interp/rerun.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

struct Ran {
  Program program;
  Bindings bindings;
  RunRequest request;
  std::vector<Expectation> expectations;
  DeviceReport report{};
  std::vector<ComparedResult> compared{};
  std::vector<Finding> wrong_values{};  // mismatches; with --strict-values also unused values
  std::vector<Finding> notes{};         // unused values, without --strict-values
  std::string why_unknown{};            // reason why the used values are unknown; empty: known
  std::string why{};                    // origin of the first wrong element
  Dumps dumps{};
  Diags unwritten{};  // errors of writing outputs
  Diags undecided{};  // errors of the value check
};

Status outcome(const Ran& ran) {
  if (ran.wrong_values.empty()) return status_of(ran.report);
  const bool is_mismatch =
      std::any_of(ran.wrong_values.begin(), ran.wrong_values.end(),
                  [](const Finding& finding) { return finding.kind == FindingKind::mismatch; });
  return is_mismatch ? Status::mismatch : Status::finding;
}

// Compares the results. If some are wrong and the run is observed, further runs find the writers of
// the wrong elements and the origin of the first one.
Expected<void> check_values(Ran& ran, Executable& executable, const DeviceOptions& options,
                            const Again& begin) {
  if (!has_results(ran.report) || !has_results_of(ran.request.device)) return {};
  ran.compared = TRY(compare(ran.expectations, ran.bindings.views(), executable, options));
  const Rerun rerun = [&](const std::vector<Observer*>& observers) {
    RunOptions again = options_of_rerun(*options.interpreter);
    again.observers = observers;
    again.progress = {};
    return begin(again);
  };
  const bool is_observed = ran.request.is_simulated() && ran.request.options.checks.enabled;
  ran.wrong_values = TRY(mismatches(ran.program, ran.compared, is_observed ? rerun : Rerun()));
  if (is_observed) ran.why = why_wrong(ran.program, ran.compared, ran.request.options, begin);
  return {};
}

Expected<Ran> run_program(const Arguments& arguments, Console& console) {
  Program program = TRY(launched_program(arguments));
  RunRequest request = TRY(run_request(arguments, false));
  Bindings bindings = TRY(bind(program, arguments, request.options.machine.devices));
  std::vector<Expectation> expectations = TRY(read_expectations(program, arguments, request));
  const bool is_strict = TRY(strict_values(arguments, request));
  Dumps dumps = TRY(Dumps::open(arguments));
  if (Diags unread = arguments.unread(); !unread.empty()) return unread;
  Ran ran{std::move(program), std::move(bindings), std::move(request), std::move(expectations)};
  ran.dumps = std::move(dumps);
  const std::unique_ptr<Executable> executable = TRY(ran.request.device->prepare(ran.program));
  const Again begin = [&](const RunOptions& run) -> Expected<void> {
    TRY(executable->run_with_all(ran.bindings.views(), {ran.request.profile.machine, &run}));
    return {};
  };
  TRY(ran.dumps.write(ran.request.options, begin));
  ran.unwritten = ran.dumps.unwritten();
  ValueUse use;
  Observation observation(
      ran.request, console,
      follows_values(ran.request) ? std::vector<Observer*>{&use} : std::vector<Observer*>{});
  const DeviceOptions options{ran.request.profile.machine, &observation.options()};
  ran.report = TRY(executable->run_with_all(ran.bindings.views(), options));
  collect(ran.unwritten, observation.finish());
  TRY(require_node_check(ran.request, ran.report));
  ran.notes = use.notes();
  ran.why_unknown = use.why_unknown();
  collect(ran.undecided, check_values(ran, *executable, options, begin));
  if (is_strict) {
    if (!ran.why_unknown.empty())
      return error("--strict-values: the used values are unknown: " + ran.why_unknown);
    std::move(ran.notes.begin(), ran.notes.end(), std::back_inserter(ran.wrong_values));
    ran.notes.clear();
  }
  return ran;
}

// True if results are computed, that is, without --no-math.
bool computes(const Ran& ran) { return ran.request.options.math != Math::none; }

struct State {
  Program program;
  Bindings bindings;
  std::unique_ptr<Executable> executable;
};

Expected<std::shared_ptr<State>> state_of(const Arguments& arguments, const Module& module,
                                          const RunRequest& request) {
  Expected<Program> program = launched_program(arguments, module);
  if (!program) return program.diags();
  const auto state = std::make_shared<State>();
  state->program = *std::move(program);
  Expected<Bindings> bindings = bind(state->program, arguments, request.options.machine.devices);
  if (!bindings) return bindings.diags();
  state->bindings = *std::move(bindings);
  Expected<std::unique_ptr<Executable>> executable = request.device->prepare(state->program);
  if (!executable) return executable.diags();
  state->executable = *std::move(executable);
  return state;
}

Simulate simulation_of(std::shared_ptr<State> state, const RunRequest& request) {
  return [state = std::move(state),
          machine = request.profile.machine](const RunOptions& options) -> Expected<RunResult> {
    const Expected<DeviceReport> report =
        state->executable->run_with_all(state->bindings.views(), {machine, &options});
    if (!report) return report.diags();
    return *report->simulated;
  };
}

Expected<Prepared> prepare(const Arguments& arguments) {
  auto module = open_program(arguments.words().front(), arguments.files());
  if (!module) return module.diags();
  Expected<RunRequest> request = run_request(arguments, false);
  if (!request) return request.diags();
  const auto state = state_of(arguments, **module, *request);
  if (!state) return state.diags();
  Prepared prepared{*std::move(request), {}, {}};
  prepared.kernel = (*state)->program.name + settings_text((*state)->program);
  prepared.simulate = simulation_of(*state, prepared.request);
  prepared.module = *std::move(module);
  prepared.with_text =
      [arguments, request = prepared.request,
       name = prepared.module->source->name](const std::string& text) -> Expected<Simulate> {
    const Expected<Module> edited = parse(std::make_shared<const Source>(Source{name, text}));
    if (!edited) return edited.diags();
    const auto other = state_of(arguments, *edited, request);
    if (!other) return other.diags();
    return simulation_of(*other, request);
  };
  return prepared;
}

// Adds suggestions of missing waits to the findings.
Expected<void> suggest(const Arguments& arguments, Ran& ran) {
  const RunResult* const result = ran.report.simulated.get();
  if (result == nullptr || ran.report.findings.empty() || !ran.request.certifies) return {};
  const Prepared prepared = TRY(prepare(arguments));
  CertifyOptions how{.run = ran.request.options, .granularity = ran.request.certified_granularity};
  suggest_waits(prepared, how, result->stats.steps, ran.report.findings);
  return {};
}

void print_report(Console& console, const Arguments& arguments, const Ran& ran, Status status) {
  console.out << line("kernel", ran.program.name + settings_text(ran.program));
  console.out << ran.bindings.operand_lines();
  console.out << run_lines(arguments, ran.request, ran.report);
  console.out << line("time", human_seconds(ran.report.wall_seconds));
  if (status == Status::ok && computes(ran)) console.out << ran.bindings.result_lines();
  if (status == Status::ok && !computes(ran)) console.out << line("results", "not computed");
  if (status == Status::ok && computes(ran))
    console.out << value_lines(ran.program, ran.compared, ran.request.options.machine.devices);
  console.out << notes_text(ran.notes, arguments.has("all"));
  if (!ran.why_unknown.empty())
    console.out << fmt::format("note: the used values are unknown: {}\n", ran.why_unknown);
  if (!ran.wrong_values.empty()) {
    console.out << ran.bindings.result_lines()
                << findings_text(ran.wrong_values, arguments.has("all"));
    if (!ran.why.empty()) console.out << "why:\n" << ran.why;
    if (ran.report.simulated)
      console.out << fmt::format("replay: {}\n", replay_line(ran.request, *ran.report.simulated));
  }
  console.out << ran.dumps.lines() << finding_lines(arguments, ran.request, ran.report);
}

Json report_json(const Arguments& arguments, const Ran& ran, Status status) {
  Json object = {{"status", name(status)},
                 {"device", ran.request.device_name()},
                 {"devices", ran.request.options.machine.devices},
                 {"kernel", ran.program.name},
                 {"shape", settings_json(ran.program)}};
  if (ran.request.options.machine.cores > 1) object["cores"] = ran.request.options.machine.cores;
  add_run(object, arguments, ran.request, ran.report);
  const bool has_values = status == Status::ok || !ran.wrong_values.empty();
  if (has_values) object["results"] = computes(ran) ? ran.bindings.results_json() : Json::array();
  if (has_values && computes(ran))
    object["values"] = values_json(ran.program, ran.compared, ran.request.options.machine.devices);
  if (!ran.notes.empty()) object["notes"] = findings_json(ran.notes);
  if (!ran.why_unknown.empty()) object["value_use_unknown"] = ran.why_unknown;
  if (!ran.dumps.empty()) object["dumps"] = ran.dumps.json();
  if (!ran.wrong_values.empty()) {
    object["findings"] = findings_json(ran.wrong_values);
    if (!ran.why.empty()) object["why"] = ran.why;
    if (ran.report.simulated) add_replay(object, ran.request, *ran.report.simulated);
  }
  return object;
}

int run(const Arguments& arguments, Console& console) {
  const bool debugs = arguments.has("debug-on-finding");
  if (debugs && console.prints_json())
    return fail(console, error("--debug-on-finding is interactive: omit --json"));
  Expected<Ran> ran = run_program(arguments, console);
  if (!ran) return fail(console, ran.diags());
  const Status status = outcome(*ran);
  if (const auto suggested = suggest(arguments, *ran); !suggested)
    return fail(console, suggested.diags());
  Diags &unwritten = ran->unwritten, &undecided = ran->undecided;
  collect(unwritten, save_schedule(ran->request, ran->report));
  if (has_results(ran->report) && has_results_of(ran->request.device) &&
      status != Status::interrupted) {
    for (Diag& unsaved : ran->bindings.save_results()) unwritten.push_back(std::move(unsaved));
  }
  if (!undecided.empty()) {
    undecided.insert(undecided.end(), unwritten.begin(), unwritten.end());
    return fail(console, undecided);
  }
  const int code = report(
      console, status, unwritten, [&] { return report_json(arguments, *ran, status); },
      [&] { print_report(console, arguments, *ran, status); });
  std::vector<Finding> findings = ran->report.findings;
  findings.insert(findings.end(), ran->wrong_values.begin(), ran->wrong_values.end());
  if (!debugs || findings.empty()) return code;
  return debug_on_finding(arguments, findings, console);
}

}  // namespace

Command run_command() {
  Options options = {
      {"set", "NAME=VALUE", "a parameter of the kernel", true},
      {"kernel", "NAME", "kernel to use, if the file has several"},
      {"calls", "N", "run N launches in order; default 1"},
      {"scratch", "fresh|kept",
       "with --calls: scratch memory is new for each launch, or keeps the data of the previous "
       "launch"},
      {"devices", "N", "how many devices run it; default 1"},
  };
  for (const Option& option : binding_options()) options.push_back(option);
  for (const Option& option : expectation_options()) options.push_back(option);
  for (const Option& option : run_options()) options.push_back(option);
  options.push_back(strict_values_option());
  options.push_back({"debug-on-finding", "", "open the debugger at the place of a finding"});
  return {"run",
          "FILE.tsr|KERNEL",
          "run your own kernel on simulated devices or a GPU, with all checks",
          "  gmm-run run my_kernel.tsr --set m=300 --set n=64\n"
          "  gmm-run run my_kernel.tsr --in lhs=x.npy --in group_sizes=100,150,50 --out out=y.npy\n"
          "  gmm-run run my_kernel.tsr --in lhs=x.npy --expect out=y.npy\n"
          "  gmm-run run right_permute.tsr --devices 2 --schedule random:1\n"
          "  gmm-run run swap_rows.tsr --devices 2 --cores 4 --interpret\n",
          options,
          run,
          prepare};
}

}  // namespace tessera::cli
