// The accesses of a stretch of a run, for who asks backward what made memory what it is.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "interp/machine/machine.h"
#include "interp/observe/observer.h"

namespace tessera {

struct Access {
  EventKind kind = EventKind::read;  // read, write, accumulate, update; alloc and fresh undefine
  std::int64_t event = 0;            // the number of the step
  AgentId agent{};
  StmtId statement;
  CoreIndex owner{};  // where the buffer is kept
  BufferId buffer{};
  Box box{};
  LoopValues loops{};
};

// The rectangles of a copy.
struct CopyEnds {
  CoreIndex src_owner{}, dst_owner{};
  BufferId src{}, dst{};
  Box src_box{}, dst_box{};
};

class Accesses {
 public:
  // Empty, at the place where the machine pauses.
  void begin(Machine& machine);
  void on(Machine& machine, const Event& event);

  const std::vector<Access>& all() const { return all_; }
  // The last before `event` that writes or undefines some of the box; null: none here.
  const Access* last_write(CoreIndex owner, BufferId buffer, const Box& box,
                           std::int64_t event) const;
  // The last before `event` with which the copy read some of the box; null: none here.
  const Access* last_read(const AgentId& copy, const Box& box, std::int64_t event) const;
  // What the core read for the op that wrote, in the order of its operands.
  std::vector<const Access*> reads_for(const Access& write) const;
  // What it read last before that with a statement; null: not in this stretch.
  const Access* read_before(const Access& write, StmtId statement) const;
  // Null: it was started before and had landed, or will be started.
  const CopyEnds* ends(const AgentId& copy) const;

 private:
  using Key = std::pair<CoreIndex, BufferId>;
  using CopyKey = std::tuple<std::int32_t, std::int16_t, std::int16_t, std::int64_t>;
  static CopyKey key(const AgentId& agent) {
    return {agent.device, agent.core, agent.worker, agent.dma};
  }

  std::vector<Access> all_;
  std::map<Key, std::vector<std::size_t>> by_buffer_;  // writes
  std::map<CopyKey, std::vector<std::size_t>> reads_;  // of copies
  std::map<CopyKey, CopyEnds> ends_;
};

}  // namespace tessera
