// What a timed run tells.
#pragma once
#include <string>

#include "analysis/timeline/cost.h"
#include "analysis/timeline/deeper_windows.h"
#include "analysis/timeline/timing.h"
#include "cli/reports/console.h"
#include "core/machine/machine_profile.h"

namespace tessera::cli {

// "4.2 us; matrix unit busy 30 %, ...": the shares are those of the busiest device.
std::string timing_text(const Timing& timing, const MachineProfile& profile);
// Reason for a time that is not complete.
std::string why_unknown_time(const MachineProfile& profile);
// seconds, and for each device the seconds of its parts.
Json to_json(const Timing& timing);

// Lines of a report: the critical path, then the lines of the source and the regions with a share
// of the core that waits least, and which window would make the run shorter by one more slot.
std::string cost_text(const Cost& cost, const DeeperWindows& deeper, const Timing& timing);
Json to_json(const Cost& cost, const DeeperWindows& deeper);

}  // namespace tessera::cli
