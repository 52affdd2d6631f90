// Events of each device of a record, with the other devices as signed distances along a ring.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/certificate/unrolled_ring/ring.h"

namespace tessera {

// Reads the events of devices. Independent of the order of the ring, which each call has.
class RingReader {
 public:
  // record: must outlive this object.
  explicit RingReader(const Record& record);

  // Reads the ring with these devices, in this order, into `ring`. Returns why they form no ring,
  // or an empty string.
  std::string read(std::vector<std::int32_t> devices, Ring& ring) const;
  // Target devices of the remote signals of each device, in the order of its events.
  std::vector<std::vector<std::int32_t>> targets() const;

 private:
  struct Device {  // events of one device
    std::vector<RingAgent> agents;
    std::vector<RingEvent> events;
    std::vector<EventId> recorded;
  };
  using Places = std::vector<std::int32_t>;  // place in the ring, by device

  std::int32_t device_of(RecordedAgentId agent) const {
    return record_.topology.device(Record::core_of(record_.agents[agent].issuer));
  }
  std::int32_t distance(const Places& places, RecordedAgentId agent, CoreIndex to) const;
  Device read_device(const Places& places, std::int32_t device) const;
  void read_agent(const Places& places, RecordedAgentId agent, Device& device) const;
  RingEvent read_event(const Places& places, EventId e) const;
  std::string compare(const Device& first, const Device& other, std::int32_t a, std::int32_t b,
                      bool& has_equal_boxes) const;

  const Record& record_;
  const Table<CellId, RingCell> key_of_;  // by cell
  std::vector<RingCell> keys_;            // all devices; ascending
  Table<CellId, std::int32_t> cells_;     // index in keys_
  Lists<RecordedAgentId, RecordedAgentId> copies_;
  Table<RecordedAgentId, std::int32_t> numbers_;  // index within the device
  Table<BufferId, bool> is_changed_;
};

}  // namespace tessera
