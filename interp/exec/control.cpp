// Trace regions. Loops and branches are jumps (code.cpp).
#include "interp/machine/machine.h"

namespace tessera {

Step exec(const Trace& op, Core& core) {
  if (RegionPolicy* const regions = core.machine().regions()) return regions->enter(core);
  core.emit({.kind = EventKind::enter, .amount = op.level});
  return Step::next;
}

Step exec(const End&, Core& core) {
  if (RegionPolicy* const regions = core.machine().regions())
    regions->leave(core);
  else
    core.emit({.kind = EventKind::leave});
  return Step::next;
}

}  // namespace tessera
