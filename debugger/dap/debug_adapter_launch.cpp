// Begin and end of a conversation with an editor.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/report/finding.h"
#include "core/report/try.h"
#include "debugger/dap/debug_adapter.h"

namespace tessera::debugger {
namespace {

Json capabilities() {
  Json filters = Json::array();
  for (const FindingKind kind : finding_kinds())
    filters.push_back({{"filter", name(kind)},
                       {"label", name(kind)},
                       {"description", fmt::format("stop at findings of the kind {}", name(kind))},
                       {"default", true}});
  Json told = Json::object();
  for (const char* can :
       {"supportsConfigurationDoneRequest", "supportsConditionalBreakpoints",
        "supportsEvaluateForHovers", "supportsStepBack", "supportsSteppingGranularity",
        "supportsDataBreakpoints", "supportsExceptionInfoRequest", "supportsCompletionsRequest",
        "supportsTerminateRequest"})
    told[can] = true;
  told["completionTriggerCharacters"] = Json::array({" "});
  told["exceptionBreakpointFilters"] = filters;
  return told;
}

}  // namespace

Expected<Json> DebugAdapter::initialize(Fields& given) {
  const bool lines_from_1 = given.flag("linesStartAt1", true);
  const bool columns_from_1 = given.flag("columnsStartAt1", true);
  const std::string paths = given.text("pathFormat", "path");
  TRY(given.checked());
  if (is_initialized_) return error("expected initialize only once");
  if (paths != "path")
    return error(ErrorCode::unsupported,
                 fmt::format("the format of paths is `path`, not `{}`", paths));
  first_line_ = lines_from_1 ? 1 : 0;
  first_column_ = columns_from_1 ? 1 : 0;
  is_initialized_ = true;
  return capabilities();
}

Expected<Json> DebugAdapter::launch(Fields& given) {
  std::optional<std::string> program;
  if (given.has("program")) program = given.text("program");
  const std::vector<std::string> arguments = given.texts("args");
  const std::string folder = given.text("cwd", "");
  stops_on_entry_ = given.flag("stopOnEntry", false);
  runs_only_ = given.flag("noDebug", false);
  const bool has_environment = given.has("env");
  TRY(given.checked());
  if (run_ != nullptr) return error("expected launch only once");
  if (has_environment)
    return error(ErrorCode::unsupported, "env: set the variables of the adapter, gmm-run dap");
  if (!folder.empty()) {
    std::error_code failed;
    std::filesystem::current_path(folder, failed);
    if (failed)
      return error(ErrorCode::environment, fmt::format("cwd: {}: {}", folder, failed.message()));
  }
  Target target = TRY(open_(program, arguments));
  exit_code_ = std::move(target.exit_code);
  run_ = std::make_unique<DebuggedRun>(std::move(target.session), std::move(target.invocation),
                                       std::move(target.compare), target.read, in_);
  after_ = [this] { tell("initialized"); };
  return Json();
}

Expected<Json> DebugAdapter::attach(Fields&) {
  return error(ErrorCode::unsupported,
               "a run begins with the debugger, and there is none to attach to; expected launch");
}

Expected<Json> DebugAdapter::configured(Fields&) {
  after_ = [this] {
    if (runs_only_) {
      run_only();
    } else if (stops_on_entry_) {
      tell_stopped("entry", "at the beginning");
    } else {
      move("continue");
    }
  };
  return Json();
}

// Runs without stops and reports the findings.
void DebugAdapter::run_only() {
  run_->pause.arm();
  StopCondition* const pause = &run_->pause;
  const Expected<Arrival> arrival = run_->session->forward({&pause, 1});
  if (!arrival) say("stderr", render(arrival.diags()));
  if (run_->session->ended_by() != RunEnd::program)
    say("stderr", run_->debugger.over_text() + "\n");
  tell_findings(0);
  end();
}

void DebugAdapter::end() {
  if (std::exchange(has_terminated_, true)) return;
  tell("exited", {{"exitCode", run_ == nullptr ? 0 : exit_code_(*run_->session)}});
  tell("terminated");
}

Expected<Json> DebugAdapter::terminate(Fields&) {
  after_ = [this] { end(); };
  return Json();
}

Expected<Json> DebugAdapter::disconnect(Fields&) {
  has_disconnected_ = true;
  return Json();
}

}  // namespace tessera::debugger
