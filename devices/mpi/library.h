// Selects the MPI library of this process, and loads the plug-in for it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/report/expected.h"
#include "devices/mpi/plugin/interface.h"

namespace tessera::mpi {

enum class Library : std::uint8_t { openmpi, mpich };
std::string_view name(Library library);   // as in $TESSERA_MPI: "openmpi"
std::string_view title(Library library);  // "Open MPI"

// The launcher that started a process, according to its environment.
struct Launcher {
  Library library = Library::openmpi;  // library of the programs that it starts
  bool is_certain = true;              // false: it also starts programs of other libraries
  std::int64_t size = 0;               // number of processes; 0: not known
};

// Returns the value of an environment variable; null if it is not set.
using Variable = std::function<const char*(const char* name)>;

// Returns the launcher that the variables identify; $TESSERA_MPI decides if they are not certain.
// Fails with ErrorCode::environment if no launcher has started this process, or if $TESSERA_MPI
// names no library or does not fit the launcher.
Expected<Launcher> launcher(const Variable& variable);
// Returns the launcher of this process, from its environment.
Expected<Launcher> launcher();

// Loads the plug-in, once per process. It is searched for only in the folder $TESSERA_PLUGINS, or,
// if that is not set, next to the program, in the build folder and in the installation folder.
// Fails with ErrorCode::environment if there is none that can be used; later calls return the same
// error.
Expected<const TesseraMpiPlugin*> plugin(Library library);

}  // namespace tessera::mpi
