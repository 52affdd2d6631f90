#include "debugger/session/steps.h"

#include <algorithm>

#include "core/passes/purpose.h"
#include "core/program/refs.h"
#include "interp/machine/planning_memory.h"

namespace tessera {
namespace {

bool takes_step(const Program& program, const Table<BufferId, bool>& is_private, const Op& op) {
  switch (class_of(op)) {
    case OpClass::none:
    case OpClass::scalar:
    case OpClass::check:
    case OpClass::debug:
    case OpClass::control:
    case OpClass::region:
    case OpClass::structure:
      return false;
    case OpClass::cells:
      for (const FieldInfo& f : info(op).fields) {
        if (f.kind != FieldKind::Slice) continue;
        const Value& base = program.value(field<Slice>(op, f).base);
        if (base.kind != ValueKind::ref || !is_private[base.buffer]) return true;
      }
      return !std::holds_alternative<Load>(op) && !std::holds_alternative<Store>(op);
    case OpClass::lifetime:
    case OpClass::copy:
    case OpClass::sync:
    case OpClass::tile:
      return true;
  }
  return true;
}

}  // namespace

SourceLine line_of(const Program& program, StmtId statement) {
  if (!statement) return {};
  const Loc loc = program.loc(statement);
  return loc ? SourceLine{loc.source->name, loc.line} : SourceLine{};
}

Table<StmtId, bool> stepping(const Program& program) {
  const Table<BufferId, bool> is_private = private_buffers(program);
  Table<StmtId, bool> steps;
  const Table<StmtId, Purpose> purpose = purposes(program);
  for (const StmtId s : program.body.ids())
    steps.add(purpose[s] == Purpose::work && takes_step(program, is_private, program.body[s].op));
  return steps;
}

std::vector<std::string> loop_names(const Program& program, StmtId statement) {
  std::vector<std::string> names;
  for (LoopId at = program.body[statement].loop; at; at = program.loops[at].outer)
    if (program.loops[at].index != no_value && !program.loops[at].name.empty())
      names.push_back(program.loops[at].name);
  std::reverse(names.begin(), names.end());
  return names;
}

std::vector<StmtId> entries(const Program& program, const SourceLine& line) {
  std::vector<StmtId> found;
  const Table<StmtId, bool> steps = stepping(program);
  bool is_there = false;
  for (const StmtId s : program.body.ids()) {
    if (!steps[s]) continue;
    const SourceLine here = line_of(program, s);
    const bool is_it =
        here.line == line.line && (line.source.empty() || here.source == line.source);
    if (is_it && !is_there) found.push_back(s);
    is_there = is_it;
  }
  return found;
}

}  // namespace tessera
