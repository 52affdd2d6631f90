// Index of a core among the cores of all devices and their loop workers; interp/machine/topology.h
// numbers them.
#pragma once
#include "core/program/id.h"

namespace tessera {

using CoreIndex = Id<struct CoreState>;

}  // namespace tessera
