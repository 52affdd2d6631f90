// Entry point of the interpreter: checks the input and runs the machine.
#include "interp/run.h"

#include "core/host/host_memory.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/check_input.h"
#include "interp/findings/exit_checks.h"
#include "interp/launch.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/machine.h"
#include "interp/observe/observer.h"

namespace tessera {
namespace {

// True if no value is used and control flow does not depend on arithmetic.
bool may_leave_out_values(const Program& expanded, const RunOptions& options) {
  return !options.computes_values && options.debug_sink == nullptr && options.math != Math::none &&
         !options.record.results && options.checks.uninitialised != Uninitialised::poison &&
         !control_needs_arithmetic(expanded);
}

Expected<RunResult> run_checked(const Program& expanded, const std::vector<Binding>& bindings,
                                const RunOptions& options, const RunHooks& hooks) {
  // Free the memory of the simulated machine before the observers analyse the run.
  std::unique_ptr<Machine> machine = TRY(launched(expanded, bindings, options, hooks));
  RunResult result = TRY(machine->run(exit_findings));
  machine.reset();
  constexpr std::int64_t many_steps = 1'000'000;  // fewer: little memory to free
  if (result.stats.steps > many_steps) return_free_memory();
  if (options.progress && !options.observers.empty())
    options.progress(Phase::analysing, result.stats.steps);
  for (Observer* observer : options.observers) observer->end(result);
  return result;
}

}  // namespace

Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                        const RunOptions& options) {
  return run_with(expanded, bindings, options, {});
}

Expected<RunResult> run_with(const Program& expanded, const std::vector<Binding>& bindings,
                             const RunOptions& options, const RunHooks& hooks) try {
  if (options.rewrite) {
    RunOptions rewritten = options;
    rewritten.rewrite = nullptr;
    return run_with(options.rewrite(expanded), bindings, rewritten, hooks);
  }
  TRY(check_input(expanded, bindings, options));
  for (Observer* observer : options.observers)
    if (!observer->wants_run(expanded, bindings, options)) return RunResult{};
  if (!may_leave_out_values(expanded, options))
    return run_checked(expanded, bindings, options, hooks);
  RunOptions protocol = options;
  protocol.math = Math::none;
  return run_checked(expanded, bindings, protocol, hooks);
} catch (...) {
  return given_up("running the program");
}

}  // namespace tessera
