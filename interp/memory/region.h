// A rectangle of a buffer of the machine.
#pragma once
#include <cstdint>

#include "core/program/ids.h"
#include "interp/machine/core_index.h"
#include "interp/memory/view.h"

namespace tessera {

class Storage;

// The lifetime of a scoped buffer is told apart from its next one.
struct Region {
  Storage* storage = nullptr;
  CoreIndex core{};  // at which it is reached (interp/machine/topology.h)
  BufferId buffer{};
  std::int64_t generation = 0;
  Box box{};
};

}  // namespace tessera
