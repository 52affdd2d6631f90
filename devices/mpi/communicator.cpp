#include "devices/mpi/communicator.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/report/try.h"
#include "devices/mpi/world.h"

namespace tessera::mpi {
namespace {

// The world of the caller's communicator, if there is one.
struct Caller {
  std::unique_ptr<World> world;
  bool has_left = false;
};

Caller& caller() {
  static Caller of_process;
  return of_process;
}

Expected<std::unique_ptr<World>> of_launcher() {
  const Launcher by = TRY(launcher());
  const TesseraMpiPlugin* const found = TRY(plugin(by.library));
  std::unique_ptr<World> made = TRY(World::open(*found, nullptr));
  if (by.size != 0 && made->size() != by.size) {
    const Library other = by.library == Library::openmpi ? Library::mpich : Library::openmpi;
    return error(ErrorCode::environment,
                 fmt::format("the launcher has started {} processes, and {} sees {}: it starts "
                             "programs of another library; set TESSERA_MPI={} to try {}",
                             by.size, made->library(), made->size(), name(other), title(other)));
  }
  return made;
}

}  // namespace

Expected<void> join(std::string_view library, const void* communicator) {
  for (const Library known : {Library::openmpi, Library::mpich}) {
    if (name(known) != library) continue;
    const TesseraMpiPlugin* const found = TRY(plugin(known));
    caller().world = TRY(World::open(*found, communicator));
    caller().has_left = false;
    return {};
  }
  return error(fmt::format("no MPI library {}; there are openmpi, mpich", library));
}

void leave() { caller() = {nullptr, true}; }

Expected<void> is_ready() {
  if (caller().world != nullptr) return {};
  if (caller().has_left) return error(ErrorCode::environment, "the caller has left MPI");
  TRY(plugin(TRY(launcher()).library));
  return {};
}

Expected<World*> world() {
  if (caller().world != nullptr) return caller().world.get();
  TRY(is_ready());
  static const Expected<std::unique_ptr<World>> joined = of_launcher();
  if (!joined) return joined.diags();
  return joined->get();
}

}  // namespace tessera::mpi
