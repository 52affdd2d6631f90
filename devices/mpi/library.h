// Which MPI library a process is to use, and the plug-in for it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/report/expected.h"
#include "devices/mpi/plugin/interface.h"

namespace tessera::mpi {

enum class Library : std::uint8_t { openmpi, mpich };
std::string_view name(Library library);   // as $TESSERA_MPI has it: "openmpi"
std::string_view title(Library library);  // "Open MPI"

// What the environment of a process says of the launcher that started it.
struct Launcher {
  Library library = Library::openmpi;  // that it starts programs of
  bool is_certain = true;              // false: it starts programs of others as well
  std::int64_t size = 0;               // processes that it started; 0: it does not say
};

// A variable of the environment; null where it is not set.
using Variable = std::function<const char*(const char* name)>;

// Why none where nothing has started this process together with others, or $TESSERA_MPI names
// something else.
Expected<Launcher> launcher(const Variable& variable);
// Of this process.
Expected<Launcher> launcher();

// Looks for the plug-in in the folder that $TESSERA_PLUGINS names and nowhere else; without it
// beside the program, where it was built and where it is installed. Opened once a process.
Expected<const TesseraMpiPlugin*> plugin(Library library);

}  // namespace tessera::mpi
