// The device `mpi` on a communicator of the caller's, for programs that use MPI themselves.
#pragma once  // public
#include <string_view>

#include "core/report/expected.h"

namespace tessera::mpi {

// From now on `mpi` runs on the processes of that communicator: `communicator` is the address of an
// MPI_Comm of the library of that name, "openmpi" or "mpich", which the caller has initialised. All
// of its processes call this, once, before they use the device, and each then runs the same
// programs: Executable::run() with a binding for each device, empty for those that others hold. The
// communicator is duplicated; the duplicate is freed by leave(), which comes before MPI_Finalize. A
// process in which a run cannot go on ends all of them by MPI_Abort.
Expected<void> join(std::string_view library, const void* communicator);
// Ends the use of MPI by `mpi`, which is not available from here on.
void leave();

}  // namespace tessera::mpi
