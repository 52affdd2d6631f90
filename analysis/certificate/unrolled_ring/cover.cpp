#include "analysis/certificate/unrolled_ring/cover.h"

#include "analysis/certificate/races/range_ids.h"

namespace tessera {
namespace {

class CoverBuilder {
 public:
  CoverBuilder(const Ring& ring, std::int32_t devices) : ring_(ring), devices_(devices) {}

  Cover build() {
    Record& record = result_.record;
    const Record& from = *ring_.record;
    record.program = from.program;
    record.topology = {devices_, ring_.cores()};
    record.points = from.points;
    record.choices = from.choices;
    record.has_math = from.has_math;
    record.granularity = from.granularity;
    record.granule = from.granule;
    record.is_complete = true;
    for (const RingCell& cell : ring_.cells)
      for (std::int32_t d = 0; d < devices_; ++d)
        record.cells.add({CoreIndex(d * ring_.cores() + cell.core), cell.semaphore, cell.cell});
    find_sources();
    add_agents();
    add_events();
    add_order();
    return std::move(result_);
  }

 private:
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  // Device at a distance from device d.
  std::int32_t device(std::int32_t d, std::int32_t distance) const {
    return (d + distance % devices_ + devices_) % devices_;
  }
  CellId cell(std::int32_t number, std::int32_t d) const { return CellId(number * devices_ + d); }
  RecordedAgentId agent(std::int32_t number, std::int32_t d) const {
    return number < ring_.cores() ? RecordedAgentId(d * ring_.cores() + number)
                                  : RecordedAgentId(number * devices_ + d);
  }
  std::int32_t number_of_events(const RingEvent& event) const {
    return event.to_all && event.act == Act::signal ? devices_ : 1;
  }

  void find_sources() {
    for (const RingAgent& self : ring_.agents) {
      std::vector<std::int32_t>& sources = result_.sources.emplace_back();
      for (std::int32_t i = self.begin; i < self.end; ++i)
        sources.insert(sources.end(), at(number_of_events(ring_.events[at(i)])), i);
    }
  }

  void add_agents() {
    Record& record = result_.record;
    record.agents.resize(ring_.agents.size() * at(devices_));
    EventId next(0);
    std::vector<std::int64_t> copies(at(ring_.cores()));  // by core of a device
    for (std::size_t number = 0; number < ring_.agents.size(); ++number) {
      const RingAgent& self = ring_.agents[number];
      const auto i = static_cast<std::int32_t>(number);
      const std::int64_t dma = i < ring_.cores() ? -1 : copies[at(self.core)]++;
      for (std::int32_t d = 0; d < devices_; ++d) {
        const RecordedAgentId issuer = agent(self.core, d);
        RecordedAgent& added = record.agents[agent(i, d)];
        added.id = record.topology.agent(Record::core_of(issuer));
        added.issuer = issuer;
        added.statement = self.statement;
        added.id.dma = dma;
        if (self.before >= 0) added.before = agent(self.before, d);
        added.begin = next;
        next = next + static_cast<std::int32_t>(result_.sources[number].size());
        added.end = next;
      }
    }
  }

  // Steps are numbered again, because a ring of another size has other numbers of signals.
  void add_events() {
    Record& record = result_.record;
    for (std::size_t number = 0; number < ring_.agents.size(); ++number) {
      const std::vector<std::int32_t>& sources = result_.sources[number];
      for (std::int32_t d = 0; d < devices_; ++d) {
        std::int32_t step = -1, last_step = -1, to = 0;
        for (std::size_t i = 0; i < sources.size(); ++i) {
          const RingEvent& event = ring_.events[at(sources[i])];
          to = i > 0 && sources[i] == sources[i - 1] ? to + 1 : 0;
          if (event.step != last_step || to > 0) ++step;
          last_step = event.step;
          record.events.add(lifted(sources[i], static_cast<std::int32_t>(number), d, to, step));
        }
      }
    }
    for (const EventId e : record.events.ids())
      if (record.events[e].act == Act::start) record.agents[record.events[e].copy()].started_at = e;
  }

  // to: the device of this signal, if it is one of several.
  RecordedEvent lifted(std::int32_t source, std::int32_t number, std::int32_t d, std::int32_t to,
                       std::int32_t step) {
    const RingEvent& event = ring_.events[at(source)];
    RecordedEvent lifted{.act = event.act,
                         .access = event.access,
                         .amount = event.amount,
                         .agent = agent(number, d),
                         .statement = event.statement,
                         .step = number < ring_.cores() ? step : event.step};
    switch (event.act) {
      case Act::signal:
        lifted.object = cell(event.object, event.to_all ? to : device(d, event.distance));
        break;
      case Act::wait:
      case Act::await:
        lifted.object = cell(event.object, device(d, event.distance));
        if (event.to_all) lifted.amount = event.amount * devices_;
        break;
      case Act::start:
        lifted.object = agent(event.object, d);
        break;
      case Act::access:
        lifted.object = range(source, d);
        break;
      default:
        break;
    }
    return lifted;
  }

  RangeId range(std::int32_t source, std::int32_t d) {
    const RingEvent& event = ring_.events[at(source)];
    const EventId recorded = ring_.recorded[at(d % ring_.size())][at(source)];
    Range range = ring_.record->ranges[ring_.record->event(recorded).range()];
    const std::int32_t first = device(d, event.distance) * ring_.cores();
    range.core = CoreIndex(first + event.core);
    range.owner = CoreIndex(first + event.owner);
    return range_ids_.of(range, static_cast<std::uint32_t>(source), result_.record.ranges);
  }

  void add_order() {
    Record& record = result_.record;
    // Next event of each agent; the same for all devices.
    std::vector<std::size_t> next(ring_.agents.size());
    std::vector<std::int32_t> agent_of(ring_.events.size());
    for (std::size_t number = 0; number < ring_.agents.size(); ++number)
      for (std::int32_t i = ring_.agents[number].begin; i < ring_.agents[number].end; ++i)
        agent_of[at(i)] = static_cast<std::int32_t>(number);
    record.order.reserve(record.events.size());
    for (const std::int32_t i : ring_.order) {
      const std::int32_t number = agent_of[at(i)];
      for (std::int32_t times = number_of_events(ring_.events[at(i)]); times > 0; --times) {
        const auto offset = static_cast<std::int32_t>(next[at(number)]++);
        for (std::int32_t d = 0; d < devices_; ++d)
          record.order.push_back(record.agents[agent(number, d)].begin + offset);
      }
    }
  }

  const Ring& ring_;
  const std::int32_t devices_;
  RangeIds range_ids_;
  Cover result_;
};

}  // namespace

std::int32_t Cover::number(RecordedAgentId agent) const {
  if (record.is_core(agent)) return record.topology.core(Record::core_of(agent));
  return agent.index / record.topology.devices;
}

std::int32_t Cover::source(EventId e) const {
  const RecordedAgentId agent = record.event(e).agent;
  const auto& of_agent = sources[static_cast<std::size_t>(number(agent))];
  return of_agent[static_cast<std::size_t>(e - record.agents[agent].begin)];
}

std::int32_t Cover::device(EventId e) const {
  const RecordedAgentId issuer = record.agents[record.event(e).agent].issuer;
  return record.topology.device(Record::core_of(issuer));
}

std::int64_t events_of_cover(const Ring& ring, std::int32_t devices) {
  std::int64_t events = 0;
  for (const RingEvent& event : ring.events)
    events += event.to_all && event.act == Act::signal ? devices : 1;
  return events * devices;
}

Cover cover(const Ring& ring, std::int32_t devices) { return CoverBuilder(ring, devices).build(); }

}  // namespace tessera
