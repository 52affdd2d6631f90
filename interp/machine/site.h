// What the cores of all devices and their point-cores are called by: interp/machine/topology.h
// numbers them.
#pragma once
#include "core/program/id.h"

namespace tessera {

using SiteId = Id<struct CoreState>;

}  // namespace tessera
