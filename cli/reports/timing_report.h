// What a timed run tells.
#pragma once
#include <string>

#include "cli/reports/console.h"
#include "interp/observe/timing.h"

namespace tessera::cli {

// "4.2 us; matrix unit busy 30 %, ...": the shares are those of the busiest device.
std::string timing_text(const Timing& timing);
// seconds, and for each device the seconds of its parts.
Json to_json(const Timing& timing);

}  // namespace tessera::cli
