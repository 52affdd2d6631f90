// A run before its first step: what it is of, and the machine that takes it.
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

// What a run is a function of, to be kept: it can be run again and again.
struct KeptRun {
  Program program;                                                   // expanded
  std::vector<std::map<std::string, Tensor, std::less<>>> operands;  // and results, by device
  RunOptions options;                                                // nobody observes

  // The operands' names for run() and launched(); they point into this object.
  std::vector<Binding> bindings();
};

// Stores the last run that run() was called for, with copies of its operands and results, and
// declines it: the program does not run.
class LaunchRecorder final : public Observer {
 public:
  bool wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                 const RunOptions& options) override;
  bool sees_events() const override { return false; }
  void on(const Event&) override {}
  // Null if run() was not called since the last take().
  std::optional<KeptRun> take() { return std::exchange(launch_, std::nullopt); }

  // True if the options have an observer of this class.
  static bool observes(const RunOptions& options);

 private:
  std::optional<KeptRun> launch_;
};

// The run that `simulate(options)` would make, without its observers; null if it makes none.
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

// The machine before its first step, for an input that check_input() has accepted. Program and
// options must outlive it; the tensors that the bindings name are its memory.
Expected<std::unique_ptr<Machine>> launched(const Program& expanded,
                                            const std::vector<Binding>& bindings,
                                            const RunOptions& options, const RunHooks& hooks = {});

// As run() (interp/run.h), with hooks.
Expected<RunResult> run_with(const Program& expanded, const std::vector<Binding>& bindings,
                             const RunOptions& options, const RunHooks& hooks);

}  // namespace tessera
