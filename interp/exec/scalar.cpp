// Checks of scalars that failed: the dispatch loop runs the others inline.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "interp/machine/machine.h"

namespace tessera {
namespace {

constexpr std::size_t most_values = 8;

// `n = 3` for what a condition names, and for the elements of arrays that it reads.
void add_values(const Program& program, ValueId id, const Core& core,
                std::vector<std::string>& values) {
  const Value& v = program.value(id);
  if (v.constant || v.kind != ValueKind::scalar || !v.statement || values.size() == most_values)
    return;
  const Op& op = program.body[v.statement].op;
  std::string name = v.name;
  if (const auto* load = std::get_if<Load>(&op); load != nullptr && name.empty())
    name = "an element of " + program.value(load->src.base).name;
  if (!name.empty()) {
    std::string text = fmt::format("{} = {}", name, core.scalar(id));
    if (std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(std::move(text));
    return;
  }
  for (const FieldInfo& f : info(op).fields)
    if (f.kind == FieldKind::Value) add_values(program, field<ValueId>(op, f), core, values);
}

}  // namespace

Step exec(const Limit& op, Core& core) {
  core.fail(FindingKind::out_of_bounds,
            fmt::format("{} is outside the bound that `max` gives: expected 0 to {}",
                        core.scalar(op.a), core.scalar(op.bound)));
  return Step::stop;
}

Step exec(const Bounds& op, Core& core) {
  const std::int64_t start = core.scalar(op.start), size = core.scalar(op.size);
  core.fail(FindingKind::out_of_bounds,
            fmt::format("the range {}:{} leaves 0:{}", start, start + size, core.scalar(op.limit)));
  return Step::stop;
}

Step exec(const Require& op, Core& core) {
  const Program& program = core.machine().program();
  const Loc loc = program.loc(core.stmt().place);
  Diag diag{ErrorCode::invalid_value, loc, core.text(op.message), {}};
  std::vector<std::string> values;
  add_values(program, op.condition, core, values);
  if (!values.empty())
    diag.notes.push_back(
        {loc, fmt::format("this requirement is not met, where {}", fmt::join(values, ", "))});
  core.machine().refuse(std::move(diag));
  return Step::stop;
}

}  // namespace tessera
