#include "analysis/timeline/finding_marks.h"

#include <utility>

#include "interp/machine/agent.h"

namespace tessera {

void FindingMarks::add(const Finding& finding, const TimingRecord& record) {
  const int number = findings_++;
  const std::vector<FindingEvent>& events = finding.events;
  std::vector<Mark> marks(events.size());
  const auto connect = [&](std::size_t from, std::size_t to) {
    marks[from].from.push_back(next_flow_);
    marks[to].to.push_back(next_flow_++);
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    marks[i].finding = number;
    marks[i].statement = events[i].statement;
    marks[i].what = events[i].what;
    for (const int other : events[i].waits_for) connect(static_cast<std::size_t>(other), i);
  }
  if (finding.kind == FindingKind::race && events.size() == 2) connect(0, 1);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::optional<AgentId> agent = parse_agent(events[i].agent);
    if (!agent || agent->worker >= 0) continue;
    const CoreIndex core = record.topology().of(*agent);
    if (agent->is_copy()) {
      const std::vector<std::int32_t>& copies = record.cores()[core].copies;
      const auto own = static_cast<std::size_t>(agent->dma);
      if (own < copies.size()) of_copies_.emplace(copies[own], std::move(marks[i]));
    } else if (finding.kind == FindingKind::deadlock) {
      blocked_.emplace(core, std::move(marks[i]));
    } else {
      const std::int64_t step = events[i].end == KernelEnd::none    ? events[i].step
                                : events[i].end == KernelEnd::entry ? before_steps
                                                                    : after_steps;
      of_cores_[core].emplace(step, std::move(marks[i]));
    }
  }
}

std::vector<FindingMarks::Mark> FindingMarks::taken(CoreIndex core, std::int64_t last) {
  std::vector<Mark> result;
  const auto found = of_cores_.find(core);
  if (found == of_cores_.end()) return result;
  std::multimap<std::int64_t, Mark>& marks = found->second;
  while (!marks.empty() && marks.begin()->first <= last) {
    result.push_back(std::move(marks.begin()->second));
    marks.erase(marks.begin());
  }
  return result;
}

std::optional<FindingMarks::Mark> FindingMarks::blocked(CoreIndex core) const {
  const auto found = blocked_.find(core);
  return found == blocked_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<FindingMarks::Mark> FindingMarks::of_copy(std::int32_t copy) const {
  std::vector<Mark> result;
  const auto [first, last] = of_copies_.equal_range(copy);
  for (auto at = first; at != last; ++at) result.push_back(at->second);
  return result;
}

}  // namespace tessera
