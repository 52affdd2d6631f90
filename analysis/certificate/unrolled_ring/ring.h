// Ring of devices that all execute the same events: the events of one device, with the accessed
// devices as signed distances along the ring.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

// One event of a device. Equal for all devices of the ring.
struct RingEvent {
  Act act = Act::none;
  AccessKind access = AccessKind::read;
  // A signal to each device of the ring, or a wait for the signals of each device.
  bool to_all = false;
  std::int64_t amount = 0;  // to_all: per device of the ring
  StmtId statement;
  std::int32_t step = 0;  // number within the agent, from 0; cores: steps without events omitted
  std::int32_t distance = 0;  // from the device to the accessed one; positive: along the ring
  std::int32_t object = -1;   // index in Ring::cells or, for a start, in Ring::agents
  // Access: its range, with the cores numbered within the accessed device.
  ObjectKind kind = ObjectKind::none;
  std::int32_t range_object = -1, core = 0, owner = 0;
  bool operator==(const RingEvent&) const = default;
};

// A core of a device, or a copy that it starts.
struct RingAgent {
  std::int32_t core = 0;            // number within the device; copy: the core that starts it
  std::int32_t begin = 0, end = 0;  // range in Ring::events
  std::int32_t before = -1;         // as RecordedAgent::before; index in Ring::agents
  std::int32_t started_at = -1;     // copy: the event that starts it
  StmtId statement;                 // copy: its start
  bool operator==(const RingAgent&) const = default;
};

// A semaphore of a device. A new lifetime is a new cell with the next generation.
struct RingCell {
  std::int32_t core = 0;  // number within the device
  SemaphoreId semaphore{};
  std::int64_t cell = 0;
  std::int32_t generation = 0;
  auto operator<=>(const RingCell&) const = default;
};

struct Ring {
  const Record* record = nullptr;     // must outlive this object
  std::vector<std::int32_t> devices;  // device numbers in the order of the ring
  std::vector<RingAgent> agents;      // each device: its cores, then the copies of each core
  std::vector<RingEvent> events;      // each device: grouped by agent
  std::vector<RingCell> cells;        // each device: ascending
  std::vector<std::int32_t> order;    // each device: its events in an order in which no wait blocks
  // Recorded event of each event, by place in the ring. to_all: the first of several signals.
  std::vector<std::vector<EventId>> recorded;
  std::int32_t reach = 0;  // max distance, in either direction
  // True if all devices access the same rectangles. The rectangles of buffers that no event changes
  // are not compared.
  bool has_equal_boxes = true;

  std::int32_t size() const { return static_cast<std::int32_t>(devices.size()); }
  std::int32_t cores() const { return record->topology.cores; }
};

struct FoundRing {
  std::optional<Ring> ring;
  // Why there is none: a clause like "device 2 does not do the same as device 0".
  std::string reason;
};

// Returns the ring of a complete run. The next device of device d is d + 1 if that makes all
// devices equal. Otherwise it is the target of one of the remote signals or copies, because tables
// may permute the devices. If there are several such rings, the one with the smallest reach is
// returned.
//
// A distance is only known modulo the number of devices, so the smallest one is assumed: a program
// with 5 devices that sends over distance 3 has distance -2 here. Compare the rings of two numbers
// of devices (same_steps.h) to exclude that.
FoundRing find_ring(const Record& record);

}  // namespace tessera
