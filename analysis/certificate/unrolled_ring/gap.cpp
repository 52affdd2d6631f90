#include "analysis/certificate/unrolled_ring/gap.h"

#include <algorithm>
#include <vector>

#include "analysis/certificate/races/protocol_replay.h"
#include "core/report/stop.h"

namespace tessera {
namespace {

class GapSearch {
 public:
  GapSearch(const Ring& ring, const Cover& cover)
      : ring_(ring),
        record_(cover.record),
        signals_(cover.record),
        replay_(cover.record, signals_),
        is_of_all_(ring.cells.size()) {
    for (const RingEvent& event : ring.events)
      if (event.to_all) is_of_all_[static_cast<std::size_t>(event.object)] = true;
  }

  Gap run(std::int64_t budget) {
    if (ring_.reach == 0) return Gap::enough;
    if (!has_signals_to_all()) return leaves_gap_from_begin() ? Gap::enough : Gap::too_small;
    for (const EventId e : record_.order) {
      const RecordedEvent& event = record_.event(e);
      const RecordedAgent& agent = record_.agents[event.agent];
      if (agent.issuer < RecordedAgentId(ring_.cores()) && begins_accesses(e)) {
        if (replay_.events_done() > budget) return Gap::over_budget;
        if (!leaves_gap(event.agent, e)) return Gap::too_small;
      }
      replay_.apply(e);
    }
    return Gap::enough;
  }
  std::int64_t replayed() const { return replay_.events_done(); }

 private:
  bool has_signals_to_all() const {
    return std::find(is_of_all_.begin(), is_of_all_.end(), true) != is_of_all_.end();
  }
  // Before its first event, a core affects at least as much as before a later one, or as a copy of
  // its own. (A later event may be after a barrier of all devices that others do not pass before.)
  bool leaves_gap_from_begin() {
    for (std::int32_t c = 0; c < ring_.cores(); ++c)
      if (!leaves_gap(RecordedAgentId(c), record_.agents[RecordedAgentId(c)].begin)) return false;
    return true;
  }
  // Successive accesses of an agent affect the same devices.
  bool begins_accesses(EventId e) const {
    const RecordedEvent& event = record_.event(e);
    if (event.act != Act::access) return false;
    return e == record_.agents[event.agent].begin || record_.event(e - 1).act != Act::access;
  }
  std::int32_t devices() const { return record_.topology.devices; }
  RecordedAgentId core(std::int32_t device, std::int32_t number) const {
    return RecordedAgentId(device * ring_.cores() + number);
  }
  // Number of events that a core has executed.
  std::int32_t progress(RecordedAgentId core) const {
    return replay_.position(core) - record_.agents[core].begin;
  }
  bool is_same(std::int32_t a, std::int32_t b) const {
    for (std::int32_t c = 0; c < ring_.cores(); ++c)
      if (progress(core(a, c)) != progress(core(b, c))) return false;
    return true;
  }
  bool is_at_end(std::int32_t device) const {
    for (std::int32_t c = 0; c < ring_.cores(); ++c)
      if (replay_.position(core(device, c)) != record_.agents[core(device, c)].end) return false;
    return true;
  }

  bool leaves_gap(RecordedAgentId agent, EventId event) {
    leave_if_stopped();
    replay_.hold(agent, event);
    replay_.advance_all();
    bool is_enough = false;
    std::int32_t length = 0;
    for (std::int32_t d = 2 * ring_.reach + 1; d < devices() - 2 * ring_.reach; ++d) {
      length = length > 0 && is_same(d, d - 1) ? length + 1 : 1;
      if (length >= (is_at_end(d) ? ring_.reach : 2 * ring_.reach + 1) && stops_longer_rings(d)) {
        is_enough = true;
        break;
      }
    }
    replay_.undo();
    return is_enough;
  }

  // True if no core that waits for signals of all devices would receive enough of them in a longer
  // ring. The further devices are at the same events as device d.
  bool stops_longer_rings(std::int32_t d) const {
    std::vector<std::int64_t> sent(ring_.cells.size());  // by one such device, to each device
    for (std::int32_t c = 0; c < ring_.cores(); ++c) {
      const RecordedAgentId core = this->core(d, c);
      for (EventId e = record_.agents[core].begin; e < replay_.position(core); ++e) {
        const RecordedEvent& event = record_.event(e);
        if (event.act == Act::signal && event.cell().index % devices() == 0)
          sent[number(event)] += event.amount;
      }
    }
    for (const RecordedAgentId core : record_.core_ids()) {
      const EventId p = replay_.position(core);
      if (p == record_.agents[core].end) continue;
      const RecordedEvent& wait = record_.event(p);
      if (wait.act != Act::wait && wait.act != Act::await) continue;
      if (!is_of_all_[number(wait)]) continue;
      std::int64_t needed = wait.amount;
      for (EventId e = record_.agents[core].begin; e < p; ++e)
        if (record_.event(e).act == Act::wait && record_.event(e).cell() == wait.cell())
          needed += record_.event(e).amount;
      if (sent[number(wait)] * devices() > needed) return false;
    }
    return true;
  }

  // Index in Ring::cells.
  std::size_t number(const RecordedEvent& event) const {
    return static_cast<std::size_t>(event.cell().index / devices());
  }
  const Ring& ring_;
  const Record& record_;
  const SignalTable signals_;
  ProtocolReplay replay_;
  std::vector<bool> is_of_all_;  // by cell of the ring: counts signals to all devices
};

}  // namespace

Gap find_gap(const Ring& ring, const Cover& cover, std::int64_t budget, std::int64_t& replayed) {
  GapSearch search(ring, cover);
  const Gap gap = search.run(budget);
  replayed += search.replayed();
  return gap;
}

}  // namespace tessera
