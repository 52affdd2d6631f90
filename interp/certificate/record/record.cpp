#include "interp/certificate/record/record.h"

#include <utility>

namespace tessera {

LoopIndices Record::loops_of(std::int32_t event) const {
  const RecordedEvent* at = &events[static_cast<std::size_t>(event)];
  if (!is_core(at->agent)) {
    const RecordedAgent& copy = agents[static_cast<std::size_t>(at->agent)];
    if (copy.started_at < 0) return {};
    at = &events[static_cast<std::size_t>(copy.started_at)];
  }
  return loops == nullptr ? LoopIndices{} : loops->at(at->agent, at->step, at->statement);
}

Lists<std::int32_t> copies_by_issuer(const Record& record) {
  std::vector<std::pair<std::int32_t, std::int32_t>> copies;
  for (std::size_t a = static_cast<std::size_t>(record.cores()); a < record.agents.size(); ++a)
    copies.emplace_back(record.agents[a].issuer, static_cast<std::int32_t>(a));
  return {static_cast<std::size_t>(record.cores()), copies};
}

std::int64_t Record::granule_of(const RecordedAgent& copy) const {
  const Range& range = ranges[static_cast<std::size_t>(event(copy.begin).object)];
  const std::int64_t element = size_of(program->buffers[range.buffer()].dtype);
  return (granule + element - 1) / element * element;
}

std::int32_t Record::write_begin(const RecordedAgent& copy) const {
  std::int32_t e = copy.begin;
  while (e < copy.end && event(e).step == 0) ++e;
  return e;
}

bool Record::is_partial(const RecordedAgent& copy) const {
  std::int32_t e = copy.end;
  while (e > copy.begin && event(e - 1).act != Act::signal) --e;
  return landing == Landing::partial && e > copy.begin && event(e - 1).amount > granule_of(copy);
}

std::int64_t Record::but_a_granule(const RecordedEvent& signal) const {
  if (landing == Landing::whole) return 0;
  const std::int64_t each = granule_of(agents[static_cast<std::size_t>(signal.agent)]);
  return (signal.amount - 1) / each * each;
}

}  // namespace tessera
