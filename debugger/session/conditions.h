// Stop conditions of the debugger.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/program/loop_index.h"
#include "core/report/finding.h"
#include "debugger/session/condition.h"
#include "debugger/session/steps.h"

namespace tessera {

// Filter of a condition by device and core; -1: all.
struct Whose {
  std::int32_t device = -1;
  std::int32_t core = -1;
  bool has(const AgentId& agent) const {
    return (device < 0 || agent.device == device) && (core < 0 || agent.core == core);
  }
};

// Holds if a core is about to take its first step on a line, with the given loop indices (empty:
// any). A core that is blocked there reaches the line when its wait ends. Never holds if no step
// begins on the line (entries()).
class LineReached final : public StopCondition {
 public:
  LineReached(const Program& program, const SourceLine& line, Whose whose, LoopIndices loops);
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  Table<StmtId, bool> is_entry_;
  Whose whose_;
  LoopIndices loops_;
};

// Holds after a core or a copy wrote into a rectangle of a buffer.
class Written final : public StopCondition {
 public:
  Written(BufferId buffer, Box box, CoreIndex owner) : buffer_(buffer), box_(box), owner_(owner) {}
  void begin(Machine& machine) override;
  void on(const Event& event) override;
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  BufferId buffer_;
  Box box_;
  CoreIndex owner_;  // owner of the buffer
  Machine* machine_ = nullptr;
  std::optional<Cause> seen_;
};

// Holds after a signal to a semaphore, or after a wait that subtracted from it.
class Counted final : public StopCondition {
 public:
  explicit Counted(SemId sem) : sem_(sem) {}
  void begin(Machine&) override { seen_.reset(); }
  void on(const Event& event) override;
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  SemId sem_;
  std::optional<Cause> seen_;
};

// Holds after a copy has read or written.
class CopyMoved final : public StopCondition {
 public:
  explicit CopyMoved(AgentId copy) : copy_(copy) {}
  void begin(Machine&) override { seen_.reset(); }
  void on(const Event& event) override;
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  AgentId copy_;
  std::optional<Cause> seen_;
};

// Holds after a core has passed a `breakpoint` of the program.
class BreakpointPassed final : public StopCondition {
 public:
  void begin(Machine&) override { seen_.reset(); }
  void receive(const DebugOutput& output) override {
    seen_ = Cause{{}, output.agent, output.statement};
  }
  std::optional<Cause> holds(const Moment&) override { return std::exchange(seen_, std::nullopt); }

 private:
  std::optional<Cause> seen_;
};

// Holds after a new finding, unless its kind is in `but`. The agent of the cause is the agent of
// the finding or, if it has none, core 0 of its device.
class Found final : public StopCondition {
 public:
  explicit Found(std::vector<FindingKind> but = {}) : but_(std::move(but)) {}
  void begin(Machine& machine) override { known_ = machine.findings().size(); }
  std::optional<Cause> holds(const Moment& moment) override;
  bool may_hold(const MachineImage& from, const MachineImage& to) const override;

 private:
  std::vector<FindingKind> but_;
  std::size_t known_ = 0;
};

// Holds after the core has taken at least `steps` steps since the movement began, or has finished.
class Stepped final : public StopCondition {
 public:
  Stepped(AgentId core, std::int64_t steps) : core_(core), steps_(steps) {}
  void begin(Machine& machine) override;
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  AgentId core_;
  std::int64_t steps_;
  std::int64_t until_ = 0;
};

// Holds after the core has moved to a line other than the line where the movement began, or has
// finished.
class LineLeft final : public StopCondition {
 public:
  explicit LineLeft(AgentId core) : core_(core) {}
  void begin(Machine& machine) override;
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  AgentId core_;
  std::int64_t steps_ = 0;
  SourceLine line_;
};

// Holds after `position` steps. The agent of the cause is `output`; it need not have taken a step.
class Reached final : public StopCondition {
 public:
  Reached(std::int64_t position, AgentId output) : position_(position), told_(output) {}
  std::optional<Cause> holds(const Moment& moment) override;
  bool may_hold(const MachineImage& from, const MachineImage& to) const override;

 private:
  std::int64_t position_;
  AgentId told_;
};

// Holds if the next step has the agent, the line and, if the finding has any, the loop indices of a
// finding; never for a finding without a location.
class FindingReached final : public StopCondition {
 public:
  explicit FindingReached(FindingPlace place) : place_(std::move(place)) {}
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  FindingPlace place_;
};

// Holds if the core takes the next step, on another line than `but` (line 0: on any line); for
// backward movements.
class AboutToStep final : public StopCondition {
 public:
  explicit AboutToStep(AgentId core, SourceLine but = {}) : core_(core), but_(std::move(but)) {}
  void begin(Machine& machine) override { index_ = machine.topology().of(core_); }
  std::optional<Cause> holds(const Moment& moment) override;
  bool may_hold(const MachineImage& from, const MachineImage& to) const override;

 private:
  AgentId core_;
  SourceLine but_;
  CoreIndex index_;
};

}  // namespace tessera
