// Events of a run. Each agent numbers its events from 0.
// The certificate checks its conditions with events: C1 (one agent waits on each semaphore) with
// wait and await, C2 (counts of semaphores are not read) with read_sem, and C3 with reads by
// `load`. The results of these loads are followed through the program text into addresses, amounts
// and branches.
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
  accumulate,  // read, write, accumulate: access to a rectangle, by a core or one side of a copy
  start,       // a copy begins: a signal to the token that the copy waits on
  signal,
  wait,
  await,
  read_sem,
  alloc,
  release,
  fresh,  // alloc, release: lifetime of a buffer or semaphore; fresh: a slot becomes undefined
  enter,
  leave,       // enter, leave: a trace region
  point,       // an iteration of a parallel loop begins; amount: the loop variable
  points_end,  // the last iteration of a parallel loop has ended
  choice,      // an op chose from operands that are not all defined, so its condition is control
  update       // a core reads a rectangle and overwrites it with a result computed from it
};

std::string_view name(EventKind kind);

enum class ObjectKind : std::uint8_t { none, buffer, semaphore };

// Id of a buffer or of a semaphore; a separate ObjectKind determines which.
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
  std::int64_t index = 0;       // among the events of the agent
  std::int64_t step = 0;        // step of the run, from 1; its events share it. 0: before the first
  std::int64_t agent_step = 0;  // number of earlier steps of the agent
  StmtId statement;             // for a copy: its start
  CoreIndex core{};             // where the agent accesses the object (interp/machine/topology.h)
  ObjectId object{};            // by object_kind a buffer or a semaphore
  std::int64_t cell = 0;        // index in a semaphore array, row-major
  std::int64_t amount = 0;      // counts or bytes
  std::int64_t token = -1;  // start: number of the copy, counted by its core; enter, leave: pattern
                            // of a memoised pipeline (analysis/planning/memoised_pipelines.h)
  bool is_known = false;    // enter, leave: the memoised pipeline is not run
  bool from_assertion = false;  // read by an assertion, not a part of the run
  const Box* box = nullptr;     // rectangle of a buffer; valid only during the call
  // Position of the agent in its loops, for interp/machine/loop_indices.h. Valid only during the
  // call.
  const std::int64_t* registers = nullptr;  // core: its registers, by value
  const LoopValues* loops = nullptr;        // copy: the values at its start
};

}  // namespace tessera
