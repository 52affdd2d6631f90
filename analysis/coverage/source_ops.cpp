#include "analysis/coverage/source_ops.h"

#include <fmt/format.h>

#include "interp/findings/describe.h"

namespace tessera {

std::string source_name(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos || end == 0 || end + 1 == name.size() || name[end] != '_')
    return name;
  return name.substr(0, end);
}

bool is_in_loop(const Program& program, StmtId statement) {
  for (LoopId loop = program.body[statement].loop; loop; loop = program.loops[loop].outer) {
    const ValueId index = program.loops[loop].index;
    if (index == no_value) continue;
    const PlaceId place = program.place_of(program.value(index).statement);
    if (!program.call_place || place != program.call_place) return true;
  }
  return false;
}

std::string library_place(const Program& program, StmtId statement) {
  if (is_own(program, statement)) return {};
  const Loc loc = program.loc(statement);
  return loc ? fmt::format("{}:{}:{}", loc.source->name, loc.line, loc.column) : "";
}

Loc own_loc(const Program& program, StmtId statement) {
  return program.loc(own_place(program, program.place_of(statement)));
}

bool is_own(const Program& program, StmtId statement) {
  const PlaceId place = program.place_of(statement);
  const Loc here = program.loc(place);
  return here && place != program.call_place && here.source == own_loc(program, statement).source;
}

SourceOps::SourceOps(const Program& structured) : is_known_(true) {
  for (const StmtId s : structured.body.ids()) {
    const Op& op = structured.body[s].op;
    const bool is_loop = std::holds_alternative<For>(op) || std::holds_alternative<Grid>(op);
    if (!is_loop && !std::holds_alternative<If>(op) && !std::holds_alternative<Mod>(op) &&
        !std::holds_alternative<Min>(op))
      continue;
    if (!is_own(structured, s)) continue;
    const Loc loc = structured.loc(s);
    if (is_loop) loops_.insert({loc.line, loc.column});
    ops_.insert({op.index(), loc.line, loc.column});
  }
}

bool SourceOps::has(const Program& expanded, StmtId statement) const {
  if (!is_own(expanded, statement)) return false;
  const Loc loc = expanded.loc(statement);
  return !is_known_ || ops_.contains({expanded.body[statement].op.index(), loc.line, loc.column});
}

bool SourceOps::has_loop(const Loc& loc) const {
  return !is_known_ || loops_.contains({loc.line, loc.column});
}

}  // namespace tessera
