// A rectangle of a buffer of the machine.
#pragma once
#include <cstdint>

#include "core/program/ids.h"
#include "interp/machine/site.h"
#include "interp/memory/view.h"

namespace tessera {

class Storage;

// The life of a scoped buffer is told apart from its next one.
struct Region {
  Storage* storage = nullptr;
  SiteId site{};  // at which it is reached (interp/machine/topology.h)
  BufferId buffer{};
  std::int64_t life = 0;
  Box box{};
};

}  // namespace tessera
