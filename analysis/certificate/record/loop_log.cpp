#include "analysis/certificate/record/loop_log.h"

#include <algorithm>

#include "interp/machine/loop_indices.h"

namespace tessera {

void LoopLog::begin(const Program& program, std::int32_t cores) {
  program_ = &program;
  loops_ = program.loops.size();
  lists_.assign(static_cast<std::size_t>(cores), Table<LoopId, std::vector<Entry>>(loops_));
  values_.clear();
  indices_.clear();
  registers_.clear();
  for (const LoopId loop : program.loops.ids()) {
    const std::size_t from = indices_.size();
    for (LoopId at = loop; at; at = program.loops[at].outer)
      if (const ValueId index = program.loops[at].index; index != no_value)
        indices_.push_back(index);
    std::reverse(indices_.begin() + static_cast<std::ptrdiff_t>(from), indices_.end());
    registers_.add({from, indices_.size()});
  }
}

// Most events have the same indices as the last entry, so the registers are compared in place.
void LoopLog::note(RecordedAgentId core, const Event& event) {
  if (!event.statement || event.registers == nullptr) return;
  const LoopId loop = program_->body[event.statement].loop;
  if (!loop) return;
  const auto [from, to] = registers_[loop];
  std::vector<Entry>& entries = lists_[core][loop];
  if (!entries.empty()) {
    const std::int64_t* last = values_.data() + entries.back().values;
    std::size_t i = from;
    while (i < to && event.registers[indices_[i].index] == *last) ++i, ++last;
    if (i == to) return;
  }
  entries.push_back({event.agent_step, values_.size()});
  for (std::size_t i = from; i < to; ++i) values_.push_back(event.registers[indices_[i].index]);
}

LoopIndices LoopLog::at(RecordedAgentId core, std::int64_t step, StmtId statement) const {
  if (program_ == nullptr || !statement) return {};
  const LoopId loop = program_->body[statement].loop;
  if (!loop) return {};
  const std::vector<Entry>& entries = lists_[core][loop];
  const auto next = std::upper_bound(entries.begin(), entries.end(), step,
                                     [](std::int64_t s, const Entry& e) { return s < e.step; });
  if (next == entries.begin()) return {};
  const auto from = values_.begin() + static_cast<std::ptrdiff_t>(std::prev(next)->values);
  const auto most = std::min(values_.end() - from, static_cast<std::ptrdiff_t>(loops_));
  return loop_indices(*program_, statement, LoopValues(from, from + most));
}

}  // namespace tessera
