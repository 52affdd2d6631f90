// Checks of scalars that failed: the dispatch loop runs the others inline.
#include <fmt/format.h>

#include "interp/machine.h"

namespace tessera {

Step exec(const Limit& op, Core& core) {
  core.fail(FindingKind::out_of_bounds,
            fmt::format("{} is outside its static bound: expected 0 to {}", core.scalar(op.a),
                        core.scalar(op.bound)));
  return Step::stop;
}

Step exec(const Bounds& op, Core& core) {
  const std::int64_t start = core.scalar(op.start), size = core.scalar(op.size);
  core.fail(FindingKind::out_of_bounds,
            fmt::format("the range {}:{} leaves 0:{}", start, start + size, core.scalar(op.limit)));
  return Step::stop;
}

Step exec(const Require& op, Core& core) {
  core.machine().refuse({ErrorCode::invalid_value,
                         core.machine().program().loc(core.stmt().place),
                         core.text(op.message),
                         {}});
  return Step::stop;
}

}  // namespace tessera
