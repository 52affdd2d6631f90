// The entry: checks what comes from outside, and runs the machine.
#include "interp/run.h"

#include "core/host/host_memory.h"
#include "core/lang/language.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/check_input.h"
#include "interp/findings/exit_checks.h"
#include "interp/launch.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/idle.h"
#include "interp/machine/machine.h"
#include "interp/observe/content_hash.h"
#include "interp/observe/observer.h"

namespace tessera {
namespace {

// The same run without the arithmetic that nobody looks at, where it can do without.
bool may_leave_out_values(const Program& expanded, const RunOptions& options) {
  return !options.wants_values && options.listener == nullptr && options.math != Math::none &&
         !options.hash_results && options.uninitialised != Uninitialised::poison &&
         !control_needs_arithmetic(expanded);
}

RunIdentity identify(const Program& expanded, const std::vector<Binding>& bindings,
                     const RunOptions& options) {
  RunIdentity identity{code_hash(print(expanded)), {}};
  RunOptions shown = options;  // results are what they are, whether they are looked at or not
  shown.wants_values = true;
  const Table<BufferId, bool> idle = idle_buffers(expanded, shown);
  for (std::size_t device = 0; device < bindings.size(); ++device) {
    for (const BufferId b : expanded.buffers.ids()) {
      const Buffer& buffer = expanded.buffers[b];
      if (buffer.role != Role::in || idle[b]) continue;
      const Tensor& tensor = *bindings[device].find(buffer.name)->second;
      identity.inputs.push_back(
          {static_cast<int>(device), buffer.name,
           bytes_hash({tensor.data(), static_cast<std::size_t>(tensor.bytes())})});
    }
  }
  return identity;
}

}  // namespace

Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                        const RunOptions& options) try {
  const StopScope listens(options.stop);
  if (options.rewrite) {
    RunOptions as_it_is = options;
    as_it_is.rewrite = nullptr;
    return run(options.rewrite(expanded), bindings, as_it_is);
  }
  TRY(check_input(expanded, bindings, options));
  if (options.identify_only) {
    RunResult result;
    result.identity = identify(expanded, bindings, options);
    return result;
  }
  if (LaunchScope* const wanted = LaunchScope::current()) {
    wanted->keep(expanded, bindings, options);
    return RunResult{};
  }
  if (may_leave_out_values(expanded, options)) {
    RunOptions protocol = options;
    protocol.math = Math::none;
    return run(expanded, bindings, protocol);
  }
  // Observers analyse when the memory of the simulated machine is free again.
  std::unique_ptr<Machine> machine = TRY(launched(expanded, bindings, options));
  RunResult result = TRY(machine->run(exit_findings));
  machine.reset();
  constexpr std::int64_t many_steps = 1'000'000;  // what they left is worth the search for it
  if (result.stats.steps > many_steps) return_free_memory();
  if (options.progress != nullptr && !options.observers.empty())
    options.progress(options.progress_context, Phase::analysing, result.stats.steps);
  for (Observer* observer : options.observers) observer->end(result);
  return result;
} catch (...) {
  return given_up("running the program");
}

}  // namespace tessera
