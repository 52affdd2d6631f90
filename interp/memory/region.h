// Rectangle of a buffer of the simulated machine.
#pragma once
#include <cstdint>

#include "core/program/ids.h"
#include "interp/machine/core_index.h"
#include "interp/memory/view.h"

namespace tessera {

class Storage;

// The generation distinguishes successive lifetimes of a scoped buffer.
struct Region {
  Storage* storage = nullptr;  // null: the access failed
  CoreIndex core{};            // core through which it is accessed (interp/machine/topology.h)
  BufferId buffer{};
  std::int64_t generation = 0;
  Box box{};
};

}  // namespace tessera
