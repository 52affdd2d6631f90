// Atomicity of a segment: it can run as if it were alone if no wait comes after its first effect
// that is visible to other agents. Its waits can then move to its front, and its signals to its
// back.
#pragma once
#include "core/report/check.h"

namespace tessera::graph {

// Checks a segment while it is built; called for its synchronisations in order. acquire(): a wait
// that other agents must end; fails a CHECK after release(). release(): a signal, or a start of a
// copy that others may wait for. may_acquire(): true before the first release().
class Atomicity {
 public:
  bool may_acquire() const { return !has_released_; }
  void acquire() const { CHECK(may_acquire()); }
  void release() { has_released_ = true; }

 private:
  bool has_released_ = false;
};

}  // namespace tessera::graph
