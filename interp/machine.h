// The simulated machine: cores of devices with their memory and semaphores, the copies in flight,
// and the loop that moves one agent after another as the schedule says.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/copies.h"
#include "interp/core.h"
#include "interp/observer.h"
#include "interp/ready.h"
#include "interp/run.h"
#include "interp/sites.h"
#include "interp/trace_hash.h"

namespace tessera {

// Bytes and semaphores of one core that exist now, and the most there ever were.
struct Usage {
  std::int64_t vmem = 0, smem = 0, semaphores = 0;
  std::int64_t peak_vmem = 0, peak_smem = 0, peak_semaphores = 0;

  // Negative amounts give back; hbm is not counted.
  void take(Space space, std::int64_t bytes);
  void take_semaphores(std::int64_t cells);
};

// A core, and what belongs to it; hbm it has together with the other cores of its device.
struct Site {
  Site(const Program& program, const MachineProfile& profile, Machine& machine, const AgentId& id,
       const Code& code)
      : semaphores(program, profile.shares_scoped_semaphores), core(machine, id, code) {}
  std::vector<std::shared_ptr<Storage>> storages;
  std::vector<std::int64_t> lives;  // of each buffer: how often it was allocated
  Semaphores semaphores;
  Usage usage;
  Core core;
};

class Machine : private Enabled {
 public:
  Machine(const Program& program, const RunOptions& options, const Schedule& schedule, Code code,
          std::int64_t steps_expected = 0);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Storages of operands and results are the tensors'; binding names them for each device.
  void bind(const std::vector<Binding>& bindings);
  Expected<RunResult> run();

  // For cores and copies.
  const Program& program() const { return program_; }
  const RunOptions& options() const { return options_; }
  // How the statement computes: not at all where a run without arithmetic leaves it out.
  Math math_of(std::int32_t statement) const {
    if (left_out_.empty()) return options_.math;
    return left_out_[static_cast<std::size_t>(statement)] ? Math::none : Math::exact;
  }
  const Sites& sites() const { return numbers_; }
  int cores() const { return numbers_.count(); }  // of all devices
  Site& site(std::int32_t number) { return *sites_[static_cast<std::size_t>(number)]; }
  bool stopped() const { return stopped_; }
  bool is_told() const { return is_told_; }
  // Observers learn of the event; the caller counts it for its agent.
  void tell(Event& event);
  // Whether there is another step; the caller takes it.
  bool begin_step() {
    if (step_ >= next_look_ && !look()) return false;
    ++step_;
    return true;
  }
  // So many ops of a core were no steps; whether it may go on.
  bool pass(std::int64_t ops);
  void undo_step() { --step_; }
  SemCell& cell(const SemId& sem) {
    return site(sem.site).semaphores.cell(sem.semaphore, sem.cell);
  }
  // Adds to a count and wakes who waits for it.
  void signal(const SemId& sem, std::int64_t amount, const AgentId& by, std::int32_t statement,
              std::int64_t agent_step, std::int64_t& events);
  void count_wait(const SemId& sem, std::int64_t amount, const Core& by);
  void note_loops(Tally& tally, const AgentId& by);
  void start(Copy copy);
  void allocate(Core& core, std::int32_t buffer);
  void release(Core& core, std::int32_t buffer);
  void allocate_semaphore(Core& core, std::int32_t semaphore);
  void release_semaphore(Core& core, std::int32_t semaphore);
  void block(Core& core);
  RunStats& stats() { return stats_; }
  Copies& copies() { return copies_; }

  // A finding of this agent at this statement, with the call chain after its own notes.
  void report(FindingKind kind, std::string message, const AgentId& agent, std::int32_t statement,
              std::vector<FindingPlace> notes = {});
  // The same, and nothing moves from here on.
  void stop(FindingKind kind, std::string message, const AgentId& agent, std::int32_t statement,
            std::vector<FindingPlace> notes = {});
  void stop(Finding finding, const AgentId& agent, std::int32_t statement);
  // Of a core that stands at the statement, or the copy that moves and was started there.
  LoopIndices loops_of(const AgentId& agent, std::int32_t statement);
  // Bad input that only the run could see.
  void refuse(Diag diag);

  // Stops the run when more exists than the profile has; statement: the alloc, or -1 at the start.
  void check_capacity(Core& core, std::int32_t statement);
  const std::vector<Handle>& blocked() const { return blocked_; }

 private:
  // Enabled, for the scheduler.
  std::span<const Handle> all() const override { return ready_.all(); }
  Handle first_core() const override { return ready_.first_core(); }
  Handle oldest_copy() const override { return ready_.oldest_copy(); }
  Handle newest_copy() const override { return ready_.newest_copy(); }
  Handle awaited_copy() const override;
  Handle find(const AgentId& agent) const override;
  std::int64_t serial(Handle agent) const override {
    return agent < cores() ? agent : cores() + copies_.at(agent - cores()).serial;
  }
  Open open(Handle agent) const override {
    return agent < cores() ? Open{} : open_of(copies_.at(agent - cores()));
  }

  bool look();
  void end_by(RunEnd end);
  void end_without_memory();
  void loop();
  std::int64_t move(const Turn& turn);
  std::int64_t move_core(Core& core, const Turn& turn);
  std::int64_t move_copy(std::int32_t slot, const Turn& turn);
  Open open_of(const Copy& copy) const;
  CopyPart next_part(const Copy& copy, CopyPart part) const;
  void step_copy(std::int32_t slot, const CopyPart& part);
  bool reach(Copy& copy, const Region& region, EventKind kind);
  void take(Copy& copy);
  void take_part(Copy& copy, std::int64_t granules);
  bool may_land(const Copy& copy, const Snapshot& data, const Index& from);
  void land(Copy& copy);
  void land(Copy& copy, const Box& box, const Snapshot& data);
  void land_part(Copy& copy, std::int64_t granules);
  void settle(Core& core, Core::Pause pause);
  void record(const AgentId& agent, std::int64_t steps, const CopyPart& part);
  std::vector<ResultHash> hash_results();
  bool is_slow(int device) const { return device == slow_device_; }
  // A core's handle is its site.
  Handle handle(std::int32_t slot) const { return cores() + slot; }
  std::int32_t slot(Handle agent) const { return agent - cores(); }
  AgentId id_of(Handle agent) const;

  const Program& program_;
  const RunOptions& options_;
  Schedule schedule_;
  Code code_;
  std::vector<bool> left_out_;  // by statement; empty in a run with arithmetic
  int slow_device_;
  Sites numbers_;
  std::vector<std::unique_ptr<Site>> sites_;
  Copies copies_;
  Ready ready_;
  std::vector<Handle> blocked_;  // cores, longest first
  std::unique_ptr<Scheduler> scheduler_;
  bool is_told_;
  TraceHash hash_;
  std::int64_t step_ = 0;
  std::int64_t passed_ = 0;     // what ops without a step amount to, in steps
  std::int64_t next_look_ = 0;  // the step before which limits and requests are looked at
  RunEnd end_ = RunEnd::program;
  std::int64_t starts_ = 0;
  const Copy* moving_ = nullptr;  // the copy that moves
  bool stopped_ = false;
  std::optional<Diag> refused_;
  std::vector<Finding> findings_;
  std::vector<ScheduleItem> recorded_;
  RunStats stats_;
};

// What is wrong once nothing moves any more, sorted (exit_checks.cpp).
std::vector<Finding> exit_findings(Machine& machine);
// A semaphore that is not zero when it should be; statement: its free, or -1 at exit
// (leftover.cpp).
Finding leak_finding(Machine& machine, const SemId& sem, std::int32_t statement);
// Why nobody can move (deadlock.cpp).
Finding deadlock_finding(Machine& machine);

}  // namespace tessera
