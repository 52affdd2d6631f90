// Interface for stop conditions of a session. A condition receives every event and is checked
// between steps.
#pragma once
#include <cstdint>
#include <optional>

#include "interp/machine/machine.h"
#include "interp/observe/debug_sink.h"
#include "interp/observe/event.h"

namespace tessera {

// State of a run between two steps.
struct Moment {
  Machine& machine;
  std::int64_t position = 0;       // number of completed steps
  std::optional<AgentId> mover{};  // agent of the next step; none: the run is over
  StmtId statement;  // statement of the next step; for a copy: its start; none: the run is over
};

// Reason for a stop: the event, its agent and its statement.
struct Cause {
  EventKind kind = EventKind::read;
  AgentId agent{};
  StmtId statement;
};

class StopCondition {
 public:
  virtual ~StopCondition() = default;
  // Resets the condition. Called before a movement, from the beginning of the run or from the
  // current step.
  virtual void begin(Machine& /*machine*/) {}
  // Called for each event of a step, before holds().
  virtual void on(const Event& /*event*/) {}
  // Called for each `breakpoint` that a core passes, before holds().
  virtual void receive(const DebugOutput& /*told*/) {}
  // Called once at each position of a movement, after the events of the step before it, and already
  // at its first position. Returns the cause if the condition holds, and forgets the events and
  // outputs received before.
  virtual std::optional<Cause> holds(const Moment& moment) = 0;
  // False if the condition cannot hold at any step between two images of the machine. The first
  // image is included, the second is not.
  virtual bool may_hold(const MachineImage& /*from*/, const MachineImage& /*to*/) const {
    return true;
  }
};

}  // namespace tessera
