#include "devices/teams.h"

#include "core/report/try.h"
#include "devices/mpi/mpi_device.h"
#include "devices/mpi/world.h"

namespace tessera {

Expected<Team*> team_of(const Device& device) {
  if (&device != &mpi_device()) return nullptr;
  return TRY(mpi::world());
}

bool has_results_of(const Device* device) {
  if (device == nullptr) return true;
  const Expected<Team*> team = team_of(*device);
  return !team || *team == nullptr || (*team)->rank() == 0;
}

}  // namespace tessera
