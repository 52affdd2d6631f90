// Report on a timed run.
#pragma once
#include <string>

#include "analysis/timeline/cost.h"
#include "analysis/timeline/deeper_windows.h"
#include "analysis/timeline/timing.h"
#include "cli/reports/console.h"
#include "core/machine/machine_profile.h"

namespace tessera::cli {

// "4.2 us; matrix unit 30 %, ...": the shares on the busiest device.
std::string timing_text(const Timing& timing, const MachineProfile& profile);
// Reason for a time that is not complete.
std::string why_unknown_time(const MachineProfile& profile);
// Total seconds, whether they are complete, the seconds of each device's units, and the roofline.
Json to_json(const Timing& timing);

// Report lines: the critical path, source lines and regions with their shares on the core that
// waits least, and windows for which one more slot would shorten the run.
std::string cost_text(const Cost& cost, const DeeperWindows& deeper, const Timing& timing);
Json to_json(const Cost& cost, const DeeperWindows& deeper);

}  // namespace tessera::cli
