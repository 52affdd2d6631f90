#include "analysis/coverage/branches.h"

#include <algorithm>

namespace tessera {
namespace {

// True if the statement ends a branch or loop.
bool is_control_end(const Program& program, StmtId end) {
  const StmtId begin = program.body[end].partner;
  if (std::holds_alternative<Else>(program.body[begin].op)) return true;
  return class_of(program.body[begin].op) == OpClass::control;
}

}  // namespace

void Branches::begin(const Program& program) {
  is_executed_.assign(program.body.size(), 0);
  is_skipped_.assign(program.body.size(), 0);
}

Branches::Region Branches::region(const Program& program, StmtId begin, StmtId end) const {
  Region result;
  int depth = 0;  // regions inside
  for (StmtId s = begin + 1; s < end; ++s) {
    const OpInfo& op = info(program.body[s].op);
    if (op.scope == Scope::open && op.op_class == OpClass::control) ++depth;
    if (op.scope == Scope::close && is_control_end(program, s)) --depth;
    if (!causes_event(op.op_class)) continue;
    if (depth == 0) ++result.visible;
    result.executed += is_executed_[static_cast<std::size_t>(s.index)];
  }
  return result;
}

void Branches::skip(StmtId begin, StmtId end) {
  std::fill(is_skipped_.begin() + begin.index + 1, is_skipped_.begin() + end.index, 1);
}

void Branches::add_notes(const Program& program, const SourceOps& source, CoverageNotes& notes) {
  for (const StmtId s : program.body.ids()) {
    const Stmt& statement = program.body[s];
    const auto* branch = std::get_if<If>(&statement.op);
    const bool is_loop = std::holds_alternative<For>(statement.op);
    const bool is_else = std::holds_alternative<Else>(statement.op);
    if ((branch == nullptr && !is_loop && !is_else) || is_skipped(s)) continue;
    const auto [visible, executed] = region(program, s, statement.partner);
    if (visible == 0 && executed == 0) continue;
    // A constant condition is a choice of the configuration.
    const bool is_of_source =
        branch == nullptr ? is_own(program, s) && (!is_loop || source.has_loop(program.loc(s)))
                          : !program.constant(branch->condition) && source.has(program, s);
    const Uncovered kind = is_loop ? Uncovered::loop : Uncovered::branch;
    if (executed > 0) {
      if (is_of_source && !is_loop) notes.seen.push_back({kind, program.loc(s)});
      continue;
    }
    std::string_view what = is_loop   ? "this loop has no iteration"
                            : is_else ? "this `else` is never taken"
                                      : "this branch is never taken";
    StmtId end = statement.partner;
    if (branch != nullptr && std::holds_alternative<Else>(program.body[end].op)) {
      const Region other = region(program, end, program.body[end].partner);
      if (other.visible > 0 && other.executed == 0) {
        what = "this `if` is not reached";
        end = program.body[end].partner;
      }
    }
    skip(s, end);
    if (is_of_source) notes.missing.push_back({kind, program.loc(s), std::string(what)});
  }
}

}  // namespace tessera
