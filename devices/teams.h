// Devices that consist of several processes.
#pragma once  // public
#include "core/report/expected.h"
#include "devices/device.h"
#include "devices/team.h"

namespace tessera {

// Returns the processes that run commands on the device together; null: only this process. Joins
// them once per process. Stays valid until mpi::leave() or the next mpi::join(). Fails with
// ErrorCode::environment if the processes cannot be joined.
Expected<Team*> team_of(const Device& device);
// True if this process has the results of a run on the device; also true if team_of(), which it
// calls, fails. device: null for no device, with result true.
bool has_results_of(const Device* device);

}  // namespace tessera
