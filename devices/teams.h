// Which devices are of several processes.
#pragma once  // public
#include "core/report/expected.h"
#include "devices/device.h"
#include "devices/team.h"

namespace tessera {

// The processes that are to run a command on the device together; null: this one alone. Joins them,
// once a process. ErrorCode::environment where that fails.
Expected<Team*> team_of(const Device& device);
// Whether this process has the results of a run on the device; null: on none.
bool has_results_of(const Device* device);

}  // namespace tessera
