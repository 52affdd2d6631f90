#include "interp/machine/topology.h"

#include <fmt/format.h>

namespace tessera {

std::string Topology::name(SiteId site) const {
  return cores == 1 && !is_point_core(site) ? fmt::format("dev{}", site.index)
                                            : to_string(agent(site));
}

std::string Topology::name(SiteId site, Space space) const {
  return space == Space::hbm ? fmt::format("dev{}", device(site)) : name(site);
}

}  // namespace tessera
