// From the stream of a run's events to the record.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "interp/certificate/record/recorder.h"

namespace tessera {

void Recorder::group_by_agent() {
  std::vector<std::int32_t> next(record_.agents.size() + 1);
  for (std::size_t i = 0; i < stream_.size(); ++i)
    ++next[static_cast<std::size_t>(stream_[i].agent) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t i = 0; i < record_.agents.size(); ++i) {
    record_.agents[i].begin = next[i];
    record_.agents[i].end = next[i + 1];
  }
  record_.events.reserve(stream_.size());
  prefer_large_pages(record_.events.data(), stream_.size() * sizeof(RecordedEvent));
  record_.events.resize(stream_.size());
  record_.order.reserve(stream_.size());
  prefer_large_pages(record_.order.data(), stream_.size() * sizeof(record_.order.front()));
  stream_.drain([&](const RecordedEvent& event) {
    const std::int32_t at = next[static_cast<std::size_t>(event.agent)]++;
    record_.events[static_cast<std::size_t>(at)] = event;
    record_.order.push_back(at);
    if (event.act == Act::start)
      record_.agents[static_cast<std::size_t>(event.object)].started_at = at;
  });
}

// What one core sends to one other device lands in the order of its start.
void Recorder::order_lanes() {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> last;
  for (std::size_t i = static_cast<std::size_t>(record_.cores()); i < record_.agents.size(); ++i) {
    RecordedAgent& agent = record_.agents[i];
    std::int32_t to = agent.id.device;
    for (std::int32_t e = agent.begin; e < agent.end; ++e) {
      const RecordedEvent& event = record_.events[static_cast<std::size_t>(e)];
      if (event.act == Act::signal)
        to = record_.topology.device(record_.cells[static_cast<std::size_t>(event.object)].site);
    }
    if (to == agent.id.device) continue;
    const auto [it, is_first] = last.try_emplace({agent.issuer, to}, static_cast<std::int32_t>(i));
    if (!is_first) agent.before = std::exchange(it->second, static_cast<std::int32_t>(i));
  }
}

void Recorder::count_in_flight() {
  std::int64_t in_flight = 0;
  for (const std::int32_t e : record_.order) {
    const RecordedEvent& event = record_.events[static_cast<std::size_t>(e)];
    if (event.act == Act::start)
      record_.peak_in_flight = std::max(record_.peak_in_flight, ++in_flight);
    const bool is_last = record_.agents[static_cast<std::size_t>(event.agent)].end == e + 1;
    if (!record_.is_core(event.agent) && is_last) --in_flight;
  }
}

void Recorder::end(RunResult& result) {
  if (record_.is_over_budget) return;
  record_.is_complete = result.is_complete;
  record_.loops = std::move(loops_);
  if (record_.is_complete) enter_or_leave(false);
  group_by_agent();
  // What only the recording needed.
  range_ids_ = {};
  copies_ = {};
  states_ = {};
  cell_ids_ = {};
  if (in_order_) order_lanes();
  count_in_flight();
  for (std::vector<std::int32_t>* statements :
       {&record_.sem_reads, &record_.points, &record_.choices}) {
    std::sort(statements->begin(), statements->end());
    statements->erase(std::unique(statements->begin(), statements->end()), statements->end());
  }
}

}  // namespace tessera
