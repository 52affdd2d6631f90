// Creates the record from the event stream of a run.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/certificate/record/recorder.h"

namespace tessera {

void Recorder::group_by_agent() {
  Table<RecordedAgentId, std::int32_t> count(record_.agents.size());
  for (std::size_t i = 0; i < stream_.size(); ++i) ++count[stream_[i].agent];
  Table<RecordedAgentId, EventId> next(record_.agents.size());
  EventId end(0);
  for (const RecordedAgentId a : record_.agents.ids()) {
    next[a] = end;
    end = end + count[a];
    record_.agents[a].begin = next[a];
    record_.agents[a].end = end;
  }
  record_.events.reserve(stream_.size());
  prefer_large_pages(record_.events.entries().data(), stream_.size() * sizeof(RecordedEvent));
  record_.events.resize(stream_.size());
  record_.order.reserve(stream_.size());
  prefer_large_pages(record_.order.data(), stream_.size() * sizeof(record_.order.front()));
  stream_.drain([&](const RecordedEvent& event) {
    const EventId at = next[event.agent];
    ++next[event.agent];
    record_.events[at] = event;
    record_.order.push_back(at);
    if (event.act == Act::start) record_.agents[event.copy()].started_at = at;
  });
}

// Copies from one core to one other device complete in the order of their starts.
void Recorder::order_lanes() {
  std::map<std::pair<RecordedAgentId, std::int32_t>, RecordedAgentId> last;
  for (const RecordedAgentId copy : record_.copy_ids()) {
    RecordedAgent& agent = record_.agents[copy];
    std::int32_t to = agent.id.device;
    for (const EventId e : agent.events()) {
      const RecordedEvent& event = record_.events[e];
      if (event.act == Act::signal) to = record_.topology.device(record_.cells[event.cell()].core);
    }
    if (to == agent.id.device) continue;
    const auto [it, is_first] = last.try_emplace({agent.issuer, to}, copy);
    if (!is_first) agent.before = std::exchange(it->second, copy);
  }
}

void Recorder::count_in_flight() {
  std::int64_t in_flight = 0;
  for (const EventId e : record_.order) {
    const RecordedEvent& event = record_.events[e];
    if (event.act == Act::start)
      record_.peak_in_flight = std::max(record_.peak_in_flight, ++in_flight);
    const bool is_last = record_.agents[event.agent].end == e + 1;
    if (!record_.is_core(event.agent) && is_last) --in_flight;
  }
}

void Recorder::end(RunResult& result) {
  if (joiner_) joiner_->finish();
  if (record_.is_over_budget) return;
  record_.is_complete = result.is_complete;
  record_.loops = std::move(loops_);
  if (record_.is_complete) enter_or_leave(false);
  group_by_agent();
  // Only needed during recording.
  range_ids_ = {};
  copies_ = {};
  states_ = {};
  cell_ids_ = {};
  if (in_order_) order_lanes();
  count_in_flight();
  for (std::vector<StmtId>* statements : {&record_.sem_reads, &record_.points, &record_.choices}) {
    std::sort(statements->begin(), statements->end());
    statements->erase(std::unique(statements->begin(), statements->end()), statements->end());
  }
}

}  // namespace tessera
