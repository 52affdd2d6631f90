// Suggestion of the missing wait for a finding.
#pragma once
#include <cstdint>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

// Adds a suggested wait to the findings. Does nothing without the text of the program, or if the
// run is too long for further trials.
// events: number of events in the run with these findings.
void suggest_waits(const Prepared& prepared, CertifyOptions how, std::int64_t events,
                   std::vector<Finding>& findings);

}  // namespace tessera::cli
