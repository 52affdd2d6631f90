// A run before its first step: what it is of, and the machine that takes it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/data/tensor.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/machine/machine.h"
#include "interp/run_options.h"

namespace tessera {

// What a run is a function of, to be kept: it can be run again and again.
struct KeptRun {
  Program program;                                                   // expanded
  std::vector<std::map<std::string, Tensor, std::less<>>> operands;  // and results, by device
  RunOptions options;                                                // nobody observes

  // The operands' names for run() and launched(); they point into this object.
  std::vector<Binding> bindings();
};

// While it lives, run() keeps here what it is asked to run, with copies of operands and results,
// and runs nothing: so whoever is between a command and its run needs not know of it. For one
// thread.
class LaunchScope {
 public:
  LaunchScope();
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

  static LaunchScope* current();  // null: runs run
  void keep(const Program& expanded, const std::vector<Binding>& bindings,
            const RunOptions& options);
  // The last that was asked for; none: nobody came so far.
  std::optional<KeptRun> take() { return std::exchange(launch_, std::nullopt); }

 private:
  std::optional<KeptRun> launch_;
  LaunchScope* outer_;
};

// The machine as it is before the first step, for an input that check_input() has accepted. Program
// and options live longer than it does; the tensors that the bindings name are its memory.
Expected<std::unique_ptr<Machine>> launched(const Program& expanded,
                                            const std::vector<Binding>& bindings,
                                            const RunOptions& options);

}  // namespace tessera
