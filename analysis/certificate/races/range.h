// Object and rectangle of an access in a record.
#pragma once
#include <cstdint>

#include "interp/observe/event.h"

namespace tessera {

// Accesses can conflict only if their owners are equal. The owner of hbm is the first core of the
// device; the owner of other memory is its core. `core` must be in the kernel during the access:
// the accessing core or, for a copy from another core, the core that the copy names. Kind none: the
// whole core (entering or leaving the kernel).
struct Range {
  CoreIndex core{};
  CoreIndex owner{};
  ObjectKind kind = ObjectKind::none;
  std::int32_t object = -1;  // a buffer or a semaphore; kind none: 0 entering, 1 leaving
  Box box{};

  BufferId buffer() const { return BufferId(object); }
  SemaphoreId semaphore() const { return SemaphoreId(object); }
  bool operator==(const Range&) const = default;
};

}  // namespace tessera
