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
  // An open region, and the region that is not closed yet at the end of the text.
  struct Region {
    std::int32_t outer = -1;  // the last entry before it
    std::size_t begin = 0;    // its first entry
  };
  std::vector<Region> regions = {{}};
  const auto enter = [&] { regions.push_back({last, remainders_.size()}); };
  const auto leave = [&] {
    last = regions.back().outer;
    regions.pop_back();
  };
  for (const StmtId s : program.body.ids()) {
    const OpInfo& op = info(program.body[s].op);
    // A trace region is executed whenever the statements around it are.
    const bool is_trace =
        op.scope == Scope::close
            ? std::holds_alternative<Trace>(program.body[program.body[s].partner].op)
            : op.op_class == OpClass::region;
    if (!is_trace && (op.scope == Scope::middle || op.scope == Scope::close)) leave();
    if (!is_trace && (op.scope == Scope::middle || op.scope == Scope::open)) enter();
    last_before_.push_back(last);
    if (causes_event(op.op_class))
      for (std::int32_t at = last; at >= static_cast<std::int32_t>(regions.back().begin);
           at = remainders_[static_cast<std::size_t>(at)].before)
        remainders_[static_cast<std::size_t>(at)].is_always_examined = true;
    const std::optional<Remainder> entry = remainder(program, s, last);
    if (!entry || !source.has(program, s)) continue;
    remainders_.push_back(*entry);
    last = open_++;
  }
}

void Wraps::add_notes(const Program& program, const Branches& branches,
                      CoverageNotes& notes) const {
  for (const Remainder& mod : remainders_) {
    if (branches.is_skipped(mod.statement)) continue;
    const Uncovered kind = mod.is_min ? Uncovered::remainder : Uncovered::wrap;
    if (!mod.is_open) {
      notes.seen.push_back({kind, program.loc(mod.statement)});
      continue;
    }
    if (!mod.is_always_examined) continue;
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
