#include "interp/certificate/loop_log.h"
#include "interp/loop_indices.h"

#include <algorithm>

namespace tessera {

void LoopLog::begin(const Program& program, std::int32_t cores) {
  program_ = &program;
  loops_ = program.loops.size();
  lists_.assign(static_cast<std::size_t>(cores) * loops_, {});
  values_.clear();
}

void LoopLog::note(std::int32_t core, const Event& event) {
  if (event.statement < 0 || event.registers == nullptr) return;
  const std::int32_t loop = program_->body[static_cast<std::size_t>(event.statement)].loop;
  if (loop < 0) return;
  read_loops(*program_, event.statement, event.registers, now_);
  std::vector<Entry>& entries = lists_[list(core, loop)];
  const auto last = entries.empty()
                        ? values_.end()
                        : values_.begin() + static_cast<std::ptrdiff_t>(entries.back().values);
  if (last != values_.end() && std::equal(now_.begin(), now_.end(), last)) return;
  entries.push_back({event.agent_step, values_.size()});
  values_.insert(values_.end(), now_.begin(), now_.end());
}

LoopIndices LoopLog::at(std::int32_t core, std::int64_t step, std::int32_t statement) const {
  if (program_ == nullptr || statement < 0) return {};
  const std::int32_t loop = program_->body[static_cast<std::size_t>(statement)].loop;
  if (loop < 0) return {};
  const std::vector<Entry>& entries = lists_[list(core, loop)];
  const auto next = std::upper_bound(entries.begin(), entries.end(), step,
                                     [](std::int64_t s, const Entry& e) { return s < e.step; });
  if (next == entries.begin()) return {};
  const auto from = values_.begin() + static_cast<std::ptrdiff_t>(std::prev(next)->values);
  const auto most = std::min(values_.end() - from, static_cast<std::ptrdiff_t>(loops_));
  return loop_indices(*program_, statement, LoopValues(from, from + most));
}

}  // namespace tessera
