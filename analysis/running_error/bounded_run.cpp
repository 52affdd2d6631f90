#include "analysis/running_error/bounded_run.h"

#include "core/report/guarded.h"
#include "core/report/stop.h"
#include "core/report/try.h"
#include "interp/cut_off.h"
#include "interp/findings/exit_checks.h"

namespace tessera::running_error {

Expected<std::unique_ptr<ErrorRun>> bounded(KeptRun& run, std::optional<ReferenceModel> other) try {
  auto errors = std::make_unique<ErrorRun>(other);
  RunOptions& options = run.options;
  options.record.results = options.record.schedule = false;
  options.progress = {};
  const ScopedObservers scope(run, {errors.get()});
  const auto machine = TRY(launched(run.program, run.bindings(), options));
  errors->attach(*machine);
  const RunResult result = TRY(machine->run(exit_findings));
  if (errors->refusal()) return Diags{*errors->refusal()};
  if (result.end != RunEnd::program) return cut_off(result.end, "the run for the error bounds");
  if (!result.is_complete || !result.findings.empty())
    return error(ErrorCode::interrupted, "the run for the error bounds did not come to its end");
  return errors;
} catch (...) {
  return given_up("bounding the errors of a run");
}

}  // namespace tessera::running_error
