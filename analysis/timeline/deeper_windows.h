// What one more slot for each window of a pipeline is worth: the run as it would be with it, timed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/machine/machine_rates.h"
#include "core/program/program.h"
#include "interp/binding.h"
#include "interp/observe/observer.h"
#include "interp/run_options.h"

namespace tessera {

// The windows that one statement of the source declares, with one slot more.
struct DeeperWindow {
  std::string name;
  Loc loc{};
  std::int64_t depth = 0;  // with that slot
  double seconds = 0;      // of the run
};

struct DeeperWindows {
  std::vector<DeeperWindow> windows;  // in the order of the program, without those of `left_out`
  // Names of windows whose run is unknown: the slot has no room in vmem, or the run depends on
  // counts that it reads.
  std::vector<std::string> left_out;
};

// One run for each statement that declares windows, without arithmetic. The values that these runs
// write into results are undefined.
DeeperWindows time_deeper_windows(const Program& structured, const std::vector<Binding>& bindings,
                                  const RunOptions& options, const MachineRates& rates);

// The deeper windows of the run that it observes, timed before that run.
class DeeperWindowsObserver final : public Observer {
 public:
  explicit DeeperWindowsObserver(const MachineRates& rates) : rates_(rates) {}
  void expanded(const Program& structured, const Program& expanded,
                const std::vector<Binding>& bindings, const RunOptions& options) override;
  bool sees_events() const override { return false; }
  void on(const Event&) override {}
  const DeeperWindows& windows() const { return windows_; }

 private:
  MachineRates rates_;
  DeeperWindows windows_;
};

}  // namespace tessera
