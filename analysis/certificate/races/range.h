// What an access of a record touches.
#pragma once
#include <cstdint>

#include "interp/observe/event.h"

namespace tessera {

// Kind none: all of a core (entering, leaving the kernel). Accesses meet
// where their homes are the same: that of hbm is the device, of all else the core. What a core
// makes of the hbm of its device it makes while itself is in the kernel: that is the core at the
// site. A copy from elsewhere needs the core that it names to be there.
struct Range {
  SiteId site{};
  SiteId home{};
  ObjectKind kind = ObjectKind::none;
  std::int32_t object = -1;  // a buffer or a semaphore; of kind none: 0 entering, 1 leaving
  Box box{};

  BufferId buffer() const { return BufferId(object); }
  SemaphoreId semaphore() const { return SemaphoreId(object); }
  bool operator==(const Range&) const = default;
};

}  // namespace tessera
