#include "analysis/coverage/wraps.h"

#include <fmt/format.h>

namespace tessera {

void Wraps::begin(const Program& program, const SourceOps& source) {
  remainders_.clear();
  last_before_.clear();
  open_ = 0;
  std::int32_t last = -1;
  for (const StmtId s : program.body.ids()) {
    last_before_.push_back(last);
    const auto* mod = std::get_if<Mod>(&program.body[s].op);
    if (mod == nullptr || !source.has(program, s)) continue;
    remainders_.push_back({s, mod->a, mod->b, last});
    last = open_++;
  }
}

void Wraps::add_notes(const Program& program, const Branches& branches,
                      CoverageNotes& notes) const {
  for (const Remainder& mod : remainders_) {
    if (branches.is_skipped(mod.statement)) continue;
    if (!mod.is_open) {
      notes.seen.push_back({Uncovered::wrap, program.loc(mod.statement)});
      continue;
    }
    const auto b = program.constant(mod.b);
    const std::string& a = program.value(mod.a).name;
    const std::string operand = a.empty() ? "its left operand" : fmt::format("`{}`", a);
    notes.missing.push_back(
        {Uncovered::wrap, program.loc(mod.statement),
         b ? fmt::format("`mod {}` never wraps: {} is always from 0 to {}", *b, operand, *b - 1)
           : fmt::format("`mod` never wraps: {} is always smaller than the right one", operand)});
  }
}

}  // namespace tessera
