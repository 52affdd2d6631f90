#include "interp/rerun.h"

namespace tessera {

RunOptions options_of_rerun(const RunOptions& options) {
  RunOptions again = options;
  again.checks.loops.reset();
  again.observers.clear();
  again.debug_sink = nullptr;
  return again;
}

}  // namespace tessera
