// Report on a timed run.
#pragma once
#include <string>

#include "analysis/timeline/cost.h"
#include "analysis/timeline/deeper_windows.h"
#include "analysis/timeline/timing.h"
#include "cli/reports/console.h"
#include "core/machine/machine_profile.h"

namespace tessera::cli {

// Returns "4.2 us; matrix unit 30 %, ...", with the shares on the device that waits least; if the
// time is not complete, "unknown: " and the reason.
std::string timing_text(const Timing& timing, const MachineProfile& profile);
// Returns the reason for a time that is not complete.
std::string why_unknown_time(const MachineProfile& profile);
// Returns the total seconds, whether they are complete, the seconds of each device's units, and the
// roofline.
Json to_json(const Timing& timing);

// Returns the report lines: the critical path, source lines and regions with their shares on the
// core that waits least, and windows for which one more slot would shorten the run. At most 12
// source lines are shown, each with a share of at least 1 %. Empty if the time is 0.
std::string cost_text(const Cost& cost, const DeeperWindows& deeper, const Timing& timing);
// Returns the same in seconds, for all source lines and all windows that were timed.
Json to_json(const Cost& cost, const DeeperWindows& deeper);

}  // namespace tessera::cli
