// The missing wait of a finding, when the program's text is at hand and small enough to try some.
#pragma once
#include <cstdint>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

// `events`: of the run that found them.
void suggest_waits(const Prepared& prepared, CertifyOptions how, std::int64_t events,
                   std::vector<Finding>& findings);

}  // namespace tessera::cli
