#include "interp/rerun.h"

namespace tessera {

RunOptions options_of_rerun(const RunOptions& options) {
  RunOptions again = options;
  again.points = nullptr;
  again.deeper = nullptr;
  again.compile_notes = nullptr;
  again.observers.clear();
  again.listener = nullptr;
  return again;
}

}  // namespace tessera
