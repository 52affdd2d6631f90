// Accesses of a segment of a run, for the backward search for the origin of memory contents.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "interp/machine/machine.h"
#include "interp/observe/observer.h"

namespace tessera {

struct Access {
  // read, write, accumulate or update; alloc and fresh make the box undefined
  EventKind kind = EventKind::read;
  std::int64_t event = 0;  // step number, from 0; -1: before the first step
  AgentId agent{};
  StmtId statement;
  CoreIndex owner{};  // owner of the buffer
  BufferId buffer{};
  Box box{};
  LoopValues loops{};
};

// Source and destination of a copy.
struct CopyEnds {
  CoreIndex src_owner{}, dst_owner{};
  BufferId src{}, dst{};
  Box src_box{}, dst_box{};
};

class Accesses {
 public:
  // Clears the object and records the copies in flight at the machine's current step.
  void begin(Machine& machine);
  // Call it for each event of the segment. Records accesses to memory and starts of copies; ignores
  // other events.
  void on(Machine& machine, const Event& event);

  const std::vector<Access>& all() const { return all_; }
  // Pointers returned below stay valid until begin() or on().

  // Returns the last access before `event` that writes part of the box or makes it undefined; null
  // if this segment has none.
  const Access* last_write(CoreIndex owner, BufferId buffer, const Box& box,
                           std::int64_t event) const;
  // Returns the last access before `event` in which the copy read part of the box; null if this
  // segment has none.
  const Access* last_read(const AgentId& copy, const Box& box, std::int64_t event) const;
  // Returns the reads of the op that wrote, in the order of their events. write: element of all().
  std::vector<const Access*> reads_for(const Access& write) const;
  // Returns the last access by `statement` of the same agent before the write; null if this segment
  // has none. write: element of all().
  const Access* read_before(const Access& write, StmtId statement) const;
  // Returns the source and destination of a copy; null if the copy completed before this segment or
  // starts after it.
  const CopyEnds* ends(const AgentId& copy) const;

 private:
  using Key = std::pair<CoreIndex, BufferId>;
  using CopyKey = std::tuple<std::int32_t, std::int16_t, std::int16_t, std::int64_t>;
  static CopyKey key(const AgentId& agent) {
    return {agent.device, agent.core, agent.worker, agent.dma};
  }

  std::vector<Access> all_;
  std::map<Key, std::vector<std::size_t>> by_buffer_;  // writes and undefining accesses
  std::map<CopyKey, std::vector<std::size_t>> reads_;  // reads of copies
  std::map<CopyKey, CopyEnds> ends_;
};

}  // namespace tessera
