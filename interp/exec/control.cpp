// Trace regions. Loops and branches are jumps (code.cpp).
#include "interp/machine/core.h"

namespace tessera {

Step exec(const Trace& op, Core& core) {
  core.emit({.kind = EventKind::enter, .amount = op.level});
  return Step::next;
}

Step exec(const End&, Core& core) {
  core.emit({.kind = EventKind::leave});
  return Step::next;
}

}  // namespace tessera
