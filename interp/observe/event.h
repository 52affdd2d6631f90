// What happens in a run, as observers see it. Events of one agent are numbered from 0; the first
// condition of the certificate (one agent waits on each semaphore) is visible in wait and await,
// the second in read_sem, and the third in reads by `load`, whose results the program text follows
// into addresses, amounts and branches.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/program/ids.h"
#include "interp/machine/agent.h"
#include "interp/machine/core_index.h"
#include "interp/machine/loop_values.h"
#include "interp/memory/view.h"

namespace tessera {

enum class EventKind : std::uint8_t {
  read,
  write,
  accumulate,  // a rectangle of a buffer, by a core or by a half of a copy
  start,       // a copy begins: a signal to the token that the copy waits on
  signal,
  wait,
  await,
  read_sem,
  alloc,
  release,
  fresh,  // the lifetime of a buffer or semaphore; the contents of a slot
  enter,
  leave,       // a trace region
  point,       // one point of a parallel loop begins; amount is the loop variable
  points_end,  // its last point has ended
  choice,      // an op chose from operands that are not all defined: what it chose by is control
  update       // a core reads a rectangle and overwrites it by what it made of it
};

std::string_view name(EventKind kind);

enum class ObjectKind : std::uint8_t { none, buffer, semaphore };

// A buffer or a semaphore: which of both is said beside it, by an ObjectKind.
struct ObjectId {
  std::int32_t index = -1;

  ObjectId() = default;
  ObjectId(BufferId id) : index(id.index) {}     // NOLINT(google-explicit-constructor)
  ObjectId(SemaphoreId id) : index(id.index) {}  // NOLINT(google-explicit-constructor)
  BufferId buffer() const { return BufferId(index); }
  SemaphoreId semaphore() const { return SemaphoreId(index); }
};

struct Event {
  EventKind kind = EventKind::read;
  ObjectKind object_kind = ObjectKind::none;
  AgentId agent{};
  std::int64_t index = 0;       // among the agent's own events
  std::int64_t step = 0;        // of the run; the events of one step share it
  std::int64_t agent_step = 0;  // how many steps the agent did before
  StmtId statement;             // the copy's start, for a half of a copy
  CoreIndex core{};             // at which the agent reaches the object (interp/machine/topology.h)
  ObjectId object{};            // by object_kind a buffer or a semaphore
  std::int64_t cell = 0;        // of a semaphore array, row-major
  std::int64_t amount = 0;      // counts or bytes
  std::int64_t token = -1;      // start: the number of the copy among those of its core; enter and
                                // leave: the pattern of the pipeline (machine/pipeline_patterns.h)
  bool is_known = false;        // enter and leave: it is not run
  bool from_assertion = false;  // by an assertion: no part of what is done
  const Box* box = nullptr;     // of a buffer; valid during the call only
  // Where in its loops the agent stands, for interp/machine/loop_indices.h; valid during the call
  // only.
  const std::int64_t* registers = nullptr;  // of the core: by the indices of values
  const LoopValues* loops = nullptr;        // of a copy: as they were at its start
};

}  // namespace tessera
