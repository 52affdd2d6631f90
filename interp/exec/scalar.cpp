// Failed checks of scalars. The dispatch loop executes checks that hold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "interp/exec/condition_values.h"
#include "interp/machine/machine.h"

namespace tessera {

Step exec(const Limit& op, Core& core) {
  core.fail(FindingKind::out_of_bounds,
            fmt::format("{} is outside the bound that `max` gives: expected 0 to {}",
                        core.scalar(op.a), core.scalar(op.bound)));
  return Step::stop;
}

Step exec(const Bounds& op, Core& core) {
  const std::int64_t start = core.scalar(op.start), size = core.scalar(op.size);
  core.fail(FindingKind::out_of_bounds, fmt::format("the range {} .. {} leaves 0 .. {}", start,
                                                    start + size, core.scalar(op.limit)));
  return Step::stop;
}

Step exec(const Require& op, Core& core) {
  const Program& program = core.machine().program();
  const Loc loc = program.loc(core.stmt().place);
  Diag diag{ErrorCode::invalid_value, loc, core.text(op.message), {}};
  const std::vector<std::string> values = condition_values(core, op.condition);
  if (!values.empty())
    diag.notes.push_back(
        {loc, fmt::format("this requirement is not met, where {}", fmt::join(values, ", "))});
  core.machine().refuse(std::move(diag));
  return Step::stop;
}

}  // namespace tessera
