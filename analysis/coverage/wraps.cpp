#include "analysis/coverage/wraps.h"

#include <fmt/format.h>

namespace tessera {

std::optional<Wraps::Remainder> Wraps::remainder(const Program& program, StmtId s,
                                                 std::int32_t before) {
  if (const auto* mod = std::get_if<Mod>(&program.body[s].op))
    return Remainder{s, mod->a, mod->b, false, before};
  const auto* min = std::get_if<Min>(&program.body[s].op);
  if (min == nullptr) return std::nullopt;
  const bool is_a = program.constant(min->a).has_value();
  if (is_a == program.constant(min->b).has_value()) return std::nullopt;
  return Remainder{s, is_a ? min->a : min->b, is_a ? min->b : min->a, true, before};
}

void Wraps::begin(const Program& program, const SourceOps& source) {
  remainders_.clear();
  last_before_.clear();
  open_ = 0;
  std::int32_t last = -1;
  std::vector<std::int32_t> outer;  // the last entry before each open region
  for (const StmtId s : program.body.ids()) {
    const Scope scope = info(program.body[s].op).scope;
    if (scope == Scope::open) outer.push_back(last);
    if (scope == Scope::middle) last = outer.back();
    if (scope == Scope::close) {
      last = outer.back();
      outer.pop_back();
    }
    last_before_.push_back(last);
    const std::optional<Remainder> op = remainder(program, s, last);
    if (!op || !source.has(program, s)) continue;
    remainders_.push_back(*op);
    last = open_++;
  }
}

void Wraps::add_notes(const Program& program, const Branches& branches,
                      CoverageNotes& notes) const {
  for (const Remainder& mod : remainders_) {
    if (branches.is_skipped(mod.statement) || !mod.is_examined) continue;
    const Uncovered kind = mod.is_min ? Uncovered::remainder : Uncovered::wrap;
    if (!mod.is_open) {
      notes.seen.push_back({kind, program.loc(mod.statement)});
      continue;
    }
    if (mod.is_min) {
      const std::int64_t tile = *program.constant(mod.a);
      notes.missing.push_back(
          {kind, program.loc(mod.statement),
           fmt::format("`min` of {} and another number is always {}", tile, tile)});
      continue;
    }
    const auto b = program.constant(mod.b);
    const std::string a = source_name(program.value(mod.a).name);
    const std::string operand = a.empty() ? "its left operand" : fmt::format("`{}`", a);
    notes.missing.push_back(
        {Uncovered::wrap, program.loc(mod.statement),
         b ? fmt::format("`mod {}` never wraps: {} is always from 0 to {}", *b, operand, *b - 1)
           : fmt::format("`mod` never wraps: {} is always smaller than the right one", operand)});
  }
}

}  // namespace tessera
