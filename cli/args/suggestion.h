// Suggestion of the missing wait for a finding.
#pragma once
#include <cstdint>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

// Sets Finding::missing_wait of the findings for which a wait at a place in the text repairs the
// program; each trial certifies a changed program. Does nothing without the text of the program, or
// if the run has more than certified_events events.
// how: options of the verdict with these findings; events: number of events in its run.
void suggest_waits(const Prepared& prepared, CertifyOptions how, std::int64_t events,
                   std::vector<Finding>& findings);

}  // namespace tessera::cli
