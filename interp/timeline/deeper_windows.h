// What one more slot for each window of a pipeline is worth: the run as it would be with it, timed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/machine/machine_rates.h"
#include "core/program/program.h"
#include "interp/binding.h"
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
  MachineRates rates;
  std::vector<DeeperWindow> windows;  // in the order of the program, without those of `left_out`
  // Names of windows whose run is unknown: the slot has no room in vmem, or the run depends on
  // counts that it reads.
  std::vector<std::string> left_out;
};

// Fills `deeper` by one run for each statement that declares windows, without arithmetic. What the
// runs write into results means nothing.
void time_deeper_windows(const Program& structured, const std::vector<Binding>& bindings,
                         const RunOptions& options, DeeperWindows& deeper);

}  // namespace tessera
