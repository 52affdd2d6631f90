// Times a run as it would be with one more slot for a window of a pipeline.
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

// The windows that one source statement declares, with one more slot.
struct DeeperWindow {
  std::string name;
  Loc loc{};
  std::int64_t depth = 0;  // including the additional slot
  double seconds = 0;      // duration of the run
};

struct DeeperWindows {
  std::vector<DeeperWindow> windows;  // in program order, without `left_out`
  // Names of windows without a result: the run fails or has a finding (for example, vmem has no
  // room for the slot), is cut short, or has no time (Timing::is_complete).
  std::vector<std::string> left_out;
};

// Returns the duration of the run with one more slot for each window. Runs the program once,
// without arithmetic, for each source statement that declares windows. The observers in `options`
// are not called. rates: rates of the machine. Results have undefined values afterwards. A failed
// run is no error (DeeperWindows::left_out).
DeeperWindows time_deeper_windows(const Program& structured, const std::vector<Binding>& bindings,
                                  const RunOptions& options, const MachineRates& rates);

// Times the deeper windows of the observed run, before that run.
class DeeperWindowsObserver final : public Observer {
 public:
  explicit DeeperWindowsObserver(const MachineRates& rates) : rates_(rates) {}
  void expanded(const Program& structured, const Program& expanded,
                const std::vector<Binding>& bindings, const RunOptions& options) override;
  bool sees_events() const override { return false; }
  void on(const Event&) override {}
  // Requires expanded().
  const DeeperWindows& windows() const { return windows_; }

 private:
  MachineRates rates_;
  DeeperWindows windows_;
};

}  // namespace tessera
