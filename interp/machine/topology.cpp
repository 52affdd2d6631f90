#include "interp/machine/topology.h"

#include <fmt/format.h>

namespace tessera {

std::string Topology::name(CoreIndex core) const {
  return cores == 1 && !is_loop_worker(core) ? fmt::format("dev{}", core.index)
                                             : to_string(agent(core));
}

std::string Topology::name(CoreIndex core, Space space) const {
  return space == Space::hbm ? fmt::format("dev{}", device(core)) : name(core);
}

}  // namespace tessera
