// What makes a segment atomic: waits move to the front of it and signals to its back, so that it
// can run as if alone, if it waits for nobody after somebody may have noticed what it did.
#pragma once
#include "core/report/check.h"

namespace tessera::graph {

// Of a segment as it is built: is told of each wait that others have to end, and of each signal or
// start of a copy that others may wait for. One that is not atomic is a mistake of who builds it.
class Atomicity {
 public:
  bool may_acquire() const { return !has_released_; }
  void acquire() const { CHECK(may_acquire()); }
  void release() { has_released_ = true; }

 private:
  bool has_released_ = false;
};

}  // namespace tessera::graph
