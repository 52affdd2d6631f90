#include "analysis/certificate/record/record.h"

#include <utility>

namespace tessera {

LoopIndices Record::loops_of(EventId event) const {
  const RecordedEvent* at = &events[event];
  if (!is_core(at->agent)) {
    const RecordedAgent& copy = agents[at->agent];
    if (!copy.started_at) return {};
    at = &events[copy.started_at];
  }
  return loops == nullptr ? LoopIndices{} : loops->at(at->agent, at->step, at->statement);
}

Lists<RecordedAgentId, RecordedAgentId> copies_by_issuer(const Record& record) {
  std::vector<std::pair<RecordedAgentId, RecordedAgentId>> copies;
  for (const RecordedAgentId a : record.copy_ids()) copies.emplace_back(record.agents[a].issuer, a);
  return {record.core_ids().size(), copies};
}

std::int64_t Record::granule_of(const RecordedAgent& copy) const {
  const Range& range = ranges[event(copy.begin).range()];
  const std::int64_t element = size_of(program->buffers[range.buffer()].dtype);
  return (granule + element - 1) / element * element;
}

EventId Record::write_begin(const RecordedAgent& copy) const {
  EventId e = copy.begin;
  while (e < copy.end && event(e).step == 0) ++e;
  return e;
}

bool Record::is_partial(const RecordedAgent& copy) const {
  EventId e = copy.end;
  while (e > copy.begin && event(e - 1).act != Act::signal) --e;
  return granularity == CopyGranularity::partial && e > copy.begin &&
         event(e - 1).amount > granule_of(copy);
}

std::int64_t Record::but_a_granule(const RecordedEvent& signal) const {
  if (granularity == CopyGranularity::whole) return 0;
  const std::int64_t each = granule_of(agents[signal.agent]);
  return (signal.amount - 1) / each * each;
}

}  // namespace tessera
