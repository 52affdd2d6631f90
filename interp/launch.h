// A run before its first step: its inputs, and the machine that executes it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/data/tensor.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/try.h"
#include "interp/binding.h"
#include "interp/machine/machine.h"
#include "interp/observe/observer.h"
#include "interp/rerun.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// Stored inputs of a run, which can be run repeatedly.
struct KeptRun {
  Program program;                                                   // expanded
  std::vector<std::map<std::string, Tensor, std::less<>>> operands;  // and results, per device
  RunOptions options;                                                // without observers

  // Bindings for run() and launched(); they point to tensors of this object.
  std::vector<Binding> bindings();
};

// Sets the observers of a stored run, which must outlive this object; the destructor removes them.
class ScopedObservers {
 public:
  ScopedObservers(KeptRun& run, std::vector<Observer*> observers) : run_(run) {
    run_.options.observers = std::move(observers);
  }
  ~ScopedObservers() { run_.options.observers.clear(); }
  ScopedObservers(const ScopedObservers&) = delete;
  ScopedObservers& operator=(const ScopedObservers&) = delete;

 private:
  KeptRun& run_;
};

// Stores the inputs of the last call of run(), with copies of its operands and results. The program
// does not run.
class LaunchRecorder final : public Observer {
 public:
  bool wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                 const RunOptions& options) override;
  bool sees_events() const override { return false; }
  void on(const Event&) override {}
  // Empty if run() was not called since the last take().
  std::optional<KeptRun> take() { return std::exchange(launch_, std::nullopt); }

  // True if an observer in the options has this class.
  static bool observes(const RunOptions& options);

 private:
  std::optional<KeptRun> launch_;
};

// Returns the inputs of the run that `simulate(options)` would start, without observers; empty if
// it starts none.
template <typename Simulate>
Expected<std::optional<KeptRun>> launch_of(const Simulate& simulate, const RunOptions& options) {
  LaunchRecorder recorder;
  RunOptions recorded = options_of_rerun(options);
  recorded.observers = {&recorder};
  TRY(simulate(recorded));
  return recorder.take();
}

// Replacements for parts of a run.
struct RunHooks {
  // Creates the policy that decides which trace regions run; empty: all regions run.
  std::function<std::unique_ptr<RegionPolicy>(Machine&)> regions{};
  // Scalar accesses that take no step; may be null, must outlive the run.
  const UntracedScalars* untraced = nullptr;
};

// Creates a machine before its first step. The input must have passed check_input(). Program,
// options and the bound tensors must outlive the machine; the tensors are part of its memory.
// Strategies that draw among the steps, and loop workers, require runs in advance, which overwrite
// the results.
// Fails if the schedule is unknown, with ErrorCode::environment if the scratch does not fit into
// memory, with ErrorCode::unsupported if the program is not expanded, or if the run in advance for
// loop workers fails. May throw std::bad_alloc. Ignores RunOptions::rewrite and computes_values.
Expected<std::unique_ptr<Machine>> launched(const Program& expanded,
                                            const std::vector<Binding>& bindings,
                                            const RunOptions& options, const RunHooks& hooks = {});

// Like run() (interp/run.h), with hooks.
Expected<RunResult> run_with(const Program& expanded, const std::vector<Binding>& bindings,
                             const RunOptions& options, const RunHooks& hooks);

}  // namespace tessera
