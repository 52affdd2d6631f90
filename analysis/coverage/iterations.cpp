#include "analysis/coverage/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tessera {

void Iterations::begin(const Program& program, const Topology& topology) {
  program_ = &program;
  topology_ = topology;
  is_open_.assign(program.loops.size(), 1);
  is_seen_.assign(program.loops.size(), 0);
  bounds_.assign(program.loops.size(), {});
  open_from_.of.assign(program.loops.size() + 1, LoopId());
  const auto cores = static_cast<std::size_t>(topology.all());
  last_.assign(program.loops.size(), Table<CoreIndex, std::vector<std::int64_t>>(cores));
  for (const LoopId loop : program.loops.ids()) {
    const ValueId index = program.loops[loop].index;
    if (index == no_value) is_open_[loop] = 0;
    const StmtId defined = index == no_value ? StmtId() : program.value(index).statement;
    const auto* op = defined ? std::get_if<For>(&program.body[defined].op) : nullptr;
    if (op != nullptr) bounds_[loop] = {op->lower, op->upper};
    open_from_[loop] = loop;
  }
}

// The bounds of a loop determine its number of iterations. Without bounds, there is a second one if
// the index changes and the indices around it do not.
void Iterations::note(LoopId innermost, const Event& event) {
  for (LoopId loop = innermost; loop; loop = program_->loops[loop].outer) {
    if (!is_open_[loop]) continue;
    is_seen_[loop] = 1;
    if (bounds_[loop].upper != no_value) {
      const auto [lower, upper] = bounds_[loop];
      if (event.registers[upper.index] - event.registers[lower.index] > 1) is_open_[loop] = 0;
      continue;
    }
    std::vector<std::int64_t>& last = last_[loop][topology_.of(event.agent)];
    const bool is_first = last.empty();
    bool has_other_index = false, has_other_outer = false;
    std::size_t depth = 0;
    for (LoopId at = loop; at; at = program_->loops[at].outer) {
      const ValueId index = program_->loops[at].index;
      if (index == no_value) continue;
      if (is_first) last.push_back(event.registers[index.index]);
      std::int64_t& before = last[depth];
      if (before != event.registers[index.index])
        (depth == 0 ? has_other_index : has_other_outer) = true;
      before = event.registers[index.index];
      ++depth;
    }
    if (has_other_index && !has_other_outer) is_open_[loop] = 0;
  }
}

void Iterations::add_notes(const Program& program, const SourceOps& source,
                           const Branches& branches, CoverageNotes& notes) const {
  // Several loops of an expanded pipeline are the same grid dimension.
  struct Of {
    Loc loc;
    std::string name;
    bool has_second = false, is_seen = false;
  };
  std::map<std::tuple<int, int, std::string>, Of> loops;
  for (const LoopId loop : program.loops.ids()) {
    const auto& [name, index, outer] = program.loops[loop];
    const StmtId defined = index == no_value ? StmtId() : program.value(index).statement;
    if (!defined || branches.is_skipped(defined)) continue;
    const Loc loc = program.loc(defined);
    if (!loc || !is_own(program, defined) || !source.has_loop(loc)) continue;
    Of& of = loops[{loc.line, loc.column, name}];
    of.loc = loc;
    of.name = name;
    of.has_second |= is_open_[loop] == 0;
    of.is_seen |= is_seen_[loop] != 0;
  }
  for (const auto& [key, of] : loops) {
    if (of.has_second) notes.seen.push_back({Uncovered::loop, of.loc});
    if (of.has_second || !of.is_seen) continue;
    notes.missing.push_back(
        {Uncovered::loop, of.loc,
         of.name.empty() ? "this loop has one iteration each time"
                         : fmt::format("the loop over {} has one iteration each time", of.name)});
  }
}

}  // namespace tessera
