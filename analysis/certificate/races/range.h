// What an access of a record touches.
#pragma once
#include <cstdint>

#include "interp/observe/event.h"

namespace tessera {

// Accesses may conflict only if their owners are the same: the first core of the device for hbm,
// else the core that has the memory. `core` must be in the kernel during the access: the accessing
// core itself or, for a copy from elsewhere, the core that the copy names. Kind none: all of a core
// (entering and leaving the kernel).
struct Range {
  CoreIndex core{};
  CoreIndex owner{};
  ObjectKind kind = ObjectKind::none;
  std::int32_t object = -1;  // a buffer or a semaphore; of kind none: 0 entering, 1 leaving
  Box box{};

  BufferId buffer() const { return BufferId(object); }
  SemaphoreId semaphore() const { return SemaphoreId(object); }
  bool operator==(const Range&) const = default;
};

}  // namespace tessera
