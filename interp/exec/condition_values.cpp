#include "interp/exec/condition_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/findings/describe.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

constexpr std::size_t max_values = 8;

void add_values(const Program& program, ValueId id, const Core& core,
                std::vector<std::string>& values) {
  const Value& v = program.value(id);
  if (v.constant || v.kind != ValueKind::scalar || !v.statement || values.size() == max_values)
    return;
  const Op& op = program.body[v.statement].op;
  std::string name = v.name;
  if (const auto* load = std::get_if<Load>(&op); load != nullptr && name.empty())
    name = slice_text(program, program.value(load->src.base).buffer, core.box(load->src));
  if (!name.empty()) {
    std::string text = core.is_undefined(id) ? fmt::format("{} is undefined", name)
                                             : fmt::format("{} = {}", name, core.scalar(id));
    if (std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(std::move(text));
    return;
  }
  for (const FieldInfo& f : info(op).fields)
    if (f.kind == FieldKind::Value) add_values(program, field<ValueId>(op, f), core, values);
}

}  // namespace

std::vector<std::string> condition_values(Core& core, ValueId condition) {
  std::vector<std::string> values;
  add_values(core.machine().program(), condition, core, values);
  return values;
}

}  // namespace tessera
