// Trace regions. Loops and branches are jumps (code.cpp).
#include "interp/machine/machine.h"
#include "interp/machine/pipeline_patterns.h"

namespace tessera {

Step exec(const Trace& op, Core& core) {
  if (PipelinePatterns* const patterns = core.machine().patterns()) return patterns->enter(core);
  core.emit({.kind = EventKind::enter, .amount = op.level});
  return Step::next;
}

Step exec(const End&, Core& core) {
  if (PipelinePatterns* const patterns = core.machine().patterns())
    patterns->leave(core);
  else
    core.emit({.kind = EventKind::leave});
  return Step::next;
}

}  // namespace tessera
