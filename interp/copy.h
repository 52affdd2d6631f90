// A copy in flight: an agent with a read half and a write half. Each half that signals may land in
// two parts.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/agent.h"
#include "interp/memory.h"
#include "interp/semaphores.h"

namespace tessera {

enum class CopyKind : std::uint8_t { local, remote, write_back };

// A rectangle of a buffer. The life of a scoped buffer is told apart from its next one.
struct Region {
  Storage* storage = nullptr;
  std::int32_t site = -1;  // at which it is reached (interp/sites.h)
  std::int32_t buffer = -1;
  std::int64_t life = 0;
  Box box{};
};

struct Copy {
  AgentId id{};
  CopyKind kind = CopyKind::local;
  bool adds = false;
  bool is_reading = true;  // which half comes next
  bool has_part = false;   // all but the last granule of this half was signalled
  std::int32_t statement = -1;
  std::vector<std::int64_t> loops{};  // around the start, as they were (interp/loop_indices.h)
  std::int64_t serial = 0;            // in the order of all starts
  std::int64_t events = 0, steps = 0;
  std::int64_t bytes = 0;  // of the whole rectangle
  std::int64_t since = 0;  // of a write-back: see Storage::start_write_back
  Region src{}, dst{};
  SemId sent{}, arrived{};  // sent: of a remote copy
  Snapshot data{};
  std::int32_t next_in_lane = -1;  // the copy that waits for this one when copies are in order
  // Neighbours in the lists of copies that will signal a semaphore: 0 sent, 1 arrived. See Copies.
  std::int32_t previous_pending[2] = {-1, -1};
  std::int32_t next_pending[2] = {-1, -1};
};

}  // namespace tessera
