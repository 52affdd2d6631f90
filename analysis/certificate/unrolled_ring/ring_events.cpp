#include "analysis/certificate/unrolled_ring/ring_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/certificate/unrolled_ring/ring_order.h"
#include "analysis/certificate/unrolled_ring/signals_to_all.h"

namespace tessera {
namespace {

// The key of each cell; a cell of the same semaphore after another one is its next generation.
Table<CellId, RingCell> keys_of(const Record& record) {
  Table<CellId, RingCell> keys;
  std::map<std::pair<CoreIndex, std::pair<SemaphoreId, std::int64_t>>, std::int32_t> generations;
  for (const SemId& id : record.cells)
    keys.add({.core = record.topology.core(id.core),
              .semaphore = id.semaphore,
              .cell = id.cell,
              .generation = generations[{id.core, {id.semaphore, id.cell}}]++});
  return keys;
}

bool is_same_shape(const Box& a, const Box& b) {
  return a.rank == b.rank && std::equal(a.size.begin(), a.size.begin() + a.rank, b.size.begin());
}

}  // namespace

RingReader::RingReader(const Record& record)
    : record_(record),
      key_of_(keys_of(record)),
      cells_(record.cells.size()),
      copies_(copies_by_issuer(record)),
      numbers_(record.agents.size()),
      is_changed_(record.program->buffers.size()) {
  keys_ = key_of_.entries();
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  for (const CellId c : key_of_.ids())
    cells_[c] = static_cast<std::int32_t>(std::lower_bound(keys_.begin(), keys_.end(), key_of_[c]) -
                                          keys_.begin());
  for (std::int32_t device = 0; device < record.topology.devices; ++device) {
    const RecordedAgentId first = Record::core_at(record.topology.first_of(device));
    std::int32_t next = 0;
    for (std::int32_t c = 0; c < record.topology.cores; ++c) numbers_[first + c] = next++;
    for (std::int32_t c = 0; c < record.topology.cores; ++c)
      for (const RecordedAgentId copy : copies_.of(first + c)) numbers_[copy] = next++;
  }
  for (const RecordedEvent& event : record.events) {
    if (event.act != Act::access || event.access == AccessKind::read) continue;
    const Range& range = record.ranges[event.range()];
    if (range.kind == ObjectKind::buffer) is_changed_[range.buffer()] = true;
  }
}

std::vector<std::vector<std::int32_t>> RingReader::targets() const {
  std::vector<std::vector<std::int32_t>> targets(
      static_cast<std::size_t>(record_.topology.devices));
  for (const RecordedAgentId a : record_.agents.ids()) {
    const std::int32_t from = device_of(a);
    for (const EventId e : record_.agents[a].events()) {
      if (record_.event(e).act != Act::signal) continue;
      const std::int32_t to = device_of(record_.owner(record_.event(e).cell()));
      if (to != from) targets[static_cast<std::size_t>(from)].push_back(to);
    }
  }
  return targets;
}

// In (-n / 2, n / 2] for n devices.
std::int32_t RingReader::distance(const Places& places, RecordedAgentId agent, CoreIndex to) const {
  const std::int32_t devices = record_.topology.devices;
  const auto place = [&](std::int32_t device) { return places[static_cast<std::size_t>(device)]; };
  const std::int32_t forward =
      (place(record_.topology.device(to)) - place(device_of(agent)) + devices) % devices;
  return 2 * forward > devices ? forward - devices : forward;
}

RingEvent RingReader::read_event(const Places& places, EventId e) const {
  const RecordedEvent& event = record_.event(e);
  RingEvent read{.act = event.act,
                 .access = event.access,
                 .amount = event.amount,
                 .statement = event.statement,
                 .step = event.step};
  switch (event.act) {
    case Act::signal:
    case Act::wait:
    case Act::await:
    case Act::poll:
      read.object = cells_[event.cell()];
      read.distance = distance(places, event.agent, record_.cells[event.cell()].core);
      break;
    case Act::start:
      read.object = numbers_[event.copy()];
      break;
    case Act::access: {
      const Range& range = record_.ranges[event.range()];
      read.kind = range.kind;
      read.range_object = range.object;
      read.core = record_.topology.core(range.core);
      read.owner = record_.topology.core(range.owner);
      read.distance = distance(places, event.agent, range.core);
      break;
    }
    default:
      break;
  }
  return read;
}

void RingReader::read_agent(const Places& places, RecordedAgentId agent, Device& device) const {
  const RecordedAgent& self = record_.agents[agent];
  RingAgent read{.core = record_.topology.core(Record::core_of(self.issuer)),
                 .before = self.before ? numbers_[self.before] : -1,
                 .statement = self.statement};
  read.begin = static_cast<std::int32_t>(device.events.size());
  std::int32_t step = -1;
  for (EventId e = self.begin; e < self.end;) {
    RingEvent event = read_event(places, e);
    if (e == self.begin || record_.event(e - 1).step != event.step) ++step;
    if (record_.is_core(agent)) event.step = step;
    const std::int32_t all = event.act == Act::signal && record_.is_core(agent)
                                 ? signals_to_all(record_, key_of_, e)
                                 : 0;
    if (event.act == Act::start)
      device.agents[static_cast<std::size_t>(event.object)].started_at =
          static_cast<std::int32_t>(device.events.size());
    std::set<std::int32_t> objects = {event.object};
    for (std::int32_t i = 0; i < all; ++i) objects.insert(cells_[record_.event(e + i).cell()]);
    for (const std::int32_t object : objects) {
      event.object = object;
      if (all > 0) event.to_all = true, event.distance = 0;
      device.events.push_back(event);
      device.recorded.push_back(e);
    }
    e = e + std::max(all, 1);
  }
  read.end = static_cast<std::int32_t>(device.events.size());
  RingAgent& entry = device.agents[static_cast<std::size_t>(numbers_[agent])];
  read.started_at = entry.started_at;
  entry = read;
}

RingReader::Device RingReader::read_device(const Places& places, std::int32_t device) const {
  Device read;
  const RecordedAgentId first = Record::core_at(record_.topology.first_of(device));
  const IdRange<RecordedAgentId> cores(first, first + record_.topology.cores);
  std::size_t agents = cores.size();
  for (const RecordedAgentId core : cores) agents += copies_.of(core).size();
  read.agents.resize(agents);
  for (const RecordedAgentId core : cores) read_agent(places, core, read);
  for (const RecordedAgentId core : cores)
    for (const RecordedAgentId copy : copies_.of(core)) read_agent(places, copy, read);
  return read;
}

// Returns how the events of devices a and b differ, or an empty string.
std::string RingReader::compare(const Device& first, const Device& other, std::int32_t a,
                                std::int32_t b, bool& has_equal_boxes) const {
  const auto difference = [&](StmtId statement) {
    const std::string line =
        statement ? fmt::format(" in line {}", record_.program->loc(statement).line) : "";
    return fmt::format("device {} does not do the same as device {}{}", b, a, line);
  };
  const std::size_t both = std::min(first.events.size(), other.events.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (!(first.events[i] == other.events[i])) return difference(other.events[i].statement);
    if (first.events[i].act != Act::access) continue;
    const Range &x = record_.ranges[record_.event(first.recorded[i]).range()],
                &y = record_.ranges[record_.event(other.recorded[i]).range()];
    if (!is_same_shape(x.box, y.box)) return difference(other.events[i].statement);
    if (x.kind == ObjectKind::buffer && is_changed_[x.buffer()])
      has_equal_boxes = has_equal_boxes && x.box == y.box;
  }
  if (first.events.size() == other.events.size() && first.agents == other.agents) return {};
  return difference(StmtId());
}

std::string RingReader::read(std::vector<std::int32_t> devices, Ring& ring) const {
  Places places(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    places[static_cast<std::size_t>(devices[i])] = static_cast<std::int32_t>(i);
  ring = {};
  ring.record = &record_;
  Device first = read_device(places, devices.front());
  ring.recorded.push_back(first.recorded);
  for (std::size_t i = 1; i < devices.size(); ++i) {
    Device other = read_device(places, devices[i]);
    std::string difference =
        compare(first, other, devices.front(), devices[i], ring.has_equal_boxes);
    if (!difference.empty()) return difference;
    ring.recorded.push_back(std::move(other.recorded));
  }
  ring.devices = std::move(devices);
  ring.agents = std::move(first.agents);
  ring.events = std::move(first.events);
  ring.cells = keys_;
  for (const RingEvent& event : ring.events)
    ring.reach = std::max(ring.reach, std::abs(event.distance));
  std::string problem = find_waits_for_all(ring);
  return problem.empty() ? find_order(ring) : problem;
}

}  // namespace tessera
