// What a session runs until: a condition is told every event, and asked between the steps.
#pragma once
#include <cstdint>
#include <optional>

#include "interp/machine/machine.h"
#include "interp/observe/debug_sink.h"
#include "interp/observe/event.h"

namespace tessera {

// Between two steps of a run.
struct Moment {
  Machine& machine;
  std::int64_t position = 0;       // how many steps are done
  std::optional<AgentId> mover{};  // who takes the next one; none: the run is over
  StmtId statement;                // at which it does; a copy's is its start
};

// Why a condition holds: who did, or will do, what.
struct Cause {
  EventKind kind = EventKind::read;
  AgentId agent{};
  StmtId statement;
};

class StopCondition {
 public:
  virtual ~StopCondition() = default;
  // What it saw is forgotten: the run begins anew, or goes on from here.
  virtual void begin(Machine& /*machine*/) {}
  // In the step before the next moment.
  virtual void on(const Event& /*event*/) {}
  // A `breakpoint` of the program was passed behind that step.
  virtual void receive(const DebugOutput& /*told*/) {}
  virtual std::optional<Cause> holds(const Moment& moment) = 0;
  // Whether it may hold at a place from one image of the machine on to a later one, which is not
  // one of them.
  virtual bool may_hold(const MachineImage& /*from*/, const MachineImage& /*to*/) const {
    return true;
  }
};

}  // namespace tessera
