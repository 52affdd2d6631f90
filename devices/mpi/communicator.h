// The device `mpi` on a communicator of the caller, for programs that use MPI themselves.
#pragma once  // public
#include <string_view>

#include "core/report/expected.h"

namespace tessera::mpi {

// Makes `mpi` use the processes of a communicator from now on. library: "openmpi" or "mpich".
// communicator: address of an MPI_Comm of this library, which the caller has initialised. All
// processes of the communicator must call join() once before they use the device, and must run the
// same programs afterwards: Executable::run() with one binding per device; bindings for devices of
// other processes are empty. The communicator is duplicated. leave() frees the duplicate and must
// be called before MPI_Finalize. A process that cannot continue a run ends all processes with
// MPI_Abort. Fails with ErrorCode::invalid_value for another library name, and with
// ErrorCode::environment if its plug-in cannot be loaded or MPI fails.
Expected<void> join(std::string_view library, const void* communicator);
// Ends the use of MPI. The device `mpi` is not available afterwards, unless join() is called again.
// Executables of the device must not be used after leave() or after a second join().
void leave();

}  // namespace tessera::mpi
