// The conditions that a debugger stops for.
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

// Whom a condition is about: -1 stands for all.
struct Whose {
  std::int32_t device = -1;
  std::int32_t core = -1;
  bool has(const AgentId& agent) const {
    return (device < 0 || agent.device == device) && (core < 0 || agent.core == core);
  }
};

// A core is about to take its first step on a line, with these indices of the loops around it. A
// core that has to wait there comes to the line when its wait is over.
class LineReached final : public StopCondition {
 public:
  LineReached(const Program& program, const SourceLine& line, Whose whose, LoopIndices loops);
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  Table<StmtId, bool> is_entry_;
  Whose whose_;
  LoopIndices loops_;
};

// Something was written into a rectangle of a buffer, by a core or a copy.
class Written final : public StopCondition {
 public:
  Written(BufferId buffer, Box box, CoreIndex owner) : buffer_(buffer), box_(box), owner_(owner) {}
  void begin(Machine& machine) override;
  void on(const Event& event) override;
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  BufferId buffer_;
  Box box_;
  CoreIndex owner_;  // where the buffer is kept
  Machine* machine_ = nullptr;
  std::optional<Cause> seen_;
};

// A semaphore was signalled, or a wait took from it.
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

// A copy has read or written.
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

// A core has passed a `breakpoint` of the program, and stands behind it.
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

// Something was found, of another kind than these.
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

// A core has done so many steps more than where the movement began, or has ended.
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

// A core has moved and stands at another line than where the movement began, or has ended.
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

// So many steps are done. The cause is of `told`, which stands for nobody.
class Reached final : public StopCondition {
 public:
  Reached(std::int64_t position, AgentId output) : position_(position), told_(output) {}
  std::optional<Cause> holds(const Moment& moment) override;
  bool may_hold(const MachineImage& from, const MachineImage& to) const override;

 private:
  std::int64_t position_;
  AgentId told_;
};

// The next step is one that a finding is about: of its agent, at its place, with its loop indices.
class FindingReached final : public StopCondition {
 public:
  explicit FindingReached(FindingPlace place) : place_(std::move(place)) {}
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  FindingPlace place_;
};

// A core takes the next step, not on this line: for the way back.
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
