#include "analysis/task_graph/loaded_scalars.h"

#include <fmt/format.h>

#include "core/program/refs.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/planning_memory.h"

namespace tessera::graph {

LoadedScalars::LoadedScalars(const Program& program)
    : program_(program),
      reads_control_(control_flow(program).reads),
      planning_(planning_memory(program, reads_control_)),
      of_(program.values.size(), Kind::control),
      control_(program.body.size(), false) {
  for (const StmtId s : program.body.ids()) {
    define(s);
    look(s);
  }
}

bool LoadedScalars::is_planning(const Slice& slice) const {
  const Buffer* const buffer = program_.buffer(slice.base);
  return buffer != nullptr && planning_[program_.value(slice.base).buffer];
}

void LoadedScalars::refuse(StmtId statement) {
  refused_.push_back({ErrorCode::unsupported,
                      program_.loc(statement),
                      fmt::format("no task graph: {} computes with loaded numbers that decide "
                                  "nothing; expected numbers that go to tiles unchanged",
                                  info(program_.body[statement].op).mnemonic),
                      {}});
}

// Classifies the result of a statement. Definitions precede uses.
void LoadedScalars::define(StmtId statement) {
  const Stmt& s = program_.body[statement];
  if (s.result == no_value || program_.value(s.result).kind == ValueKind::ref) return;
  Kind& kind = of_[s.result];
  if (std::holds_alternative<LoadReal>(s.op)) {
    kind = Kind::loaded;
  } else if (const auto* load = std::get_if<Load>(&s.op)) {
    if (!is_planning(load->src) && !reads_control_[statement]) kind = Kind::loaded;
  } else if (const auto* search = std::get_if<SearchRight>(&s.op)) {
    if (!is_planning(search->sorted) && !reads_control_[statement]) kind = Kind::computed;
  }
  if (class_of(s.op) == OpClass::cells) return;
  for (const FieldInfo& f : info(s.op).fields)
    if (f.kind == FieldKind::Value && of_[field<ValueId>(s.op, f)] != Kind::control)
      kind = Kind::computed;
}

// Classifies the op, and rejects it if it uses loaded scalars in an unsupported way.
void LoadedScalars::look(StmtId statement) {
  const Op& op = program_.body[statement].op;
  const OpClass family = class_of(op);
  if (family != OpClass::cells && family != OpClass::tile) return;
  const Slice* const dst = written_slice(op);
  const ValueId result = program_.body[statement].result;
  control_[statement] = dst != nullptr ? is_planning(*dst) : result && of_[result] == Kind::control;
  bool is_computed = false, is_data = false, reads_planning = false;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) {
      is_computed |= of_[field<ValueId>(op, f)] == Kind::computed;
      is_data |= of_[field<ValueId>(op, f)] != Kind::control;
    } else if (f.kind == FieldKind::Slice) {
      const Slice& slice = field<Slice>(op, f);
      if (is_number(program_, slice)) {
        is_computed |= of_[slice.base] == Kind::computed;
      } else if (&slice != dst) {
        reads_planning |= is_planning(slice);
        is_data |= !is_planning(slice) && !reads_control_[statement];
      }
    }
  }
  if (dst == nullptr) return;
  const bool hides_data = control_[statement] && is_data;
  const bool needs_planning = !control_[statement] && reads_planning;
  if (is_computed || hides_data || needs_planning) refuse(statement);
}

}  // namespace tessera::graph
