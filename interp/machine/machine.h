// The simulated machine: cores of devices with their memory and semaphores, the copies in flight,
// and the loop that moves one agent after another as the schedule says.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/dma/copies.h"
#include "interp/machine/copy_engine.h"
#include "interp/machine/core.h"
#include "interp/machine/ready.h"
#include "interp/machine/topology.h"
#include "interp/machine/usage.h"
#include "interp/observe/observer.h"
#include "interp/observe/trace_hash.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

class LoopWorkers;    // interp/machine/loop_workers.h
class SharedCells;    // interp/machine/shared_cells.h
struct MachineImage;  // interp/machine/machine_image.h

// A core, and what belongs to it; hbm it has together with the other cores of its device.
struct CoreState {
  CoreState(const Program& program, const MachineProfile& profile, Machine& machine,
            const AgentId& id, const Code& code)
      : semaphores(program, profile.shares_scoped_semaphores), core(machine, id, code) {}
  Table<BufferId, std::shared_ptr<Storage>> storages;
  Table<BufferId, std::int64_t> lives;  // how often it was allocated
  Semaphores semaphores;
  Usage usage;
  Core core;
};

// Asked before each step whether the run pauses there.
class Pausing {
 public:
  virtual bool before_step() = 0;

 protected:
  ~Pausing() = default;
};

// Asked at the begin of each trace region whether it is to be run, and told of all that happens.
class RegionPolicy {
 public:
  virtual ~RegionPolicy() = default;
  virtual Step enter(Core& core) = 0;  // skip: all of it is done
  virtual void leave(Core& core) = 0;
  virtual void on(const Event& event) = 0;
};

class Machine : private Enabled {
 public:
  Machine(const Program& program, const RunOptions& options, const Schedule& schedule, Code code,
          std::int64_t steps_expected = 0);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Points of parallel loops are to run side by side; the cells that they share are known.
  void split_points(SharedCells cells);
  // Who is asked of regions; without it each is run.
  void set_regions(std::unique_ptr<RegionPolicy> regions) { regions_ = std::move(regions); }
  // Storages of operands and results are the tensors'; binding names them for each device.
  void bind(const std::vector<Binding>& bindings);
  // Moves agents until nothing can move, or the run is stopped; then `checks` says what is wrong.
  using ExitChecks = std::vector<Finding> (*)(Machine& machine);
  Expected<RunResult> run(ExitChecks checks);
  // The same in parts: begin() once; advance() again and again, which moves agents until so many
  // steps are done in all, or `pausing` wants to stop before a step, or the run is over: then it is
  // true. However a run is cut in parts, it does the same.
  void begin();
  bool advance(ExitChecks checks, std::int64_t steps, Pausing* pausing = nullptr);
  Expected<RunResult> end();
  // A machine that pauses as it is now, and back to what it was: where it goes from there is where
  // it went. Not where points of parallel loops run side by side.
  bool can_be_saved() const { return points_ == nullptr; }
  std::shared_ptr<const MachineImage> save(const HeldBytes& held);
  void restore(const MachineImage& image);
  std::int64_t steps() const { return step_; }  // that are done
  // Of a run that pauses: who takes the next step, and at which statement; a copy's is its start.
  AgentId mover() const { return id_of(turn_->agent); }
  StmtId mover_statement() const;
  const std::vector<Finding>& findings() const { return findings_; }
  RunEnd ended_by() const { return end_; }  // a limit or a signal; RunEnd::program if none did
  const std::optional<Diag>& problem() const { return refused_; }  // what end() will say
  std::uint64_t trace_hash() const { return hash_.value(); }       // of the events so far

  // For cores and copies.
  const Program& program() const { return program_; }
  const RunOptions& options() const { return options_; }
  // How the statement computes: not at all where a run without arithmetic leaves it out.
  Math math_of(StmtId statement) const {
    if (left_out_.empty()) return options_.math;
    return left_out_[statement] ? Math::none : Math::exact;
  }
  const Topology& topology() const { return topology_; }
  int cores() const { return topology_.count(); }  // of all devices
  // The core that owns a buffer, or stores the lifetime of a semaphore or a count, that is accessed
  // at `core_index`: that core itself, or the core of a loop worker for objects that they share.
  CoreIndex owner(CoreIndex core_index, BufferId buffer) const {
    return points_ == nullptr ? core_index : owner_of_worker(core_index, buffer);
  }
  CoreIndex lifetime_core(CoreIndex core_index, SemaphoreId semaphore) const {
    return points_ == nullptr ? core_index : lifetime_of_point(core_index, semaphore);
  }
  SemId counted(const SemId& sem) const { return points_ == nullptr ? sem : counted_by_point(sem); }
  const LoopWorkers* points() const { return points_.get(); }  // null: nobody runs side by side
  void take_point(Core& loop_worker);
  // Sites at which something can still be done: cores, and loop workers that are at a point.
  std::vector<CoreIndex> at_work() const;
  CoreState& core_state(CoreIndex core_index) { return *core_states_[core_index]; }
  bool stopped() const { return stopped_; }
  bool is_paused() const { return is_paused_; }  // before a step, and nobody is asked to go on
  bool observes() const { return observes_; }
  // Observers learn of the event; the caller counts it for its agent.
  void emit(Event& event);
  // Those that judge all schedules learn of what an assertion reads: no part of what is done.
  void emit_asked(Event& event);
  // Whether limits and requests are looked at before the next step.
  bool looks_before_step() const { return step_ >= next_look_; }
  // Whether there is another step; the caller takes it.
  bool begin_step() {
    if (looks_before_step() && !may_step()) return false;
    ++step_;
    return true;
  }
  // So many ops of a core were no steps; whether it may go on.
  bool pass(std::int64_t ops);
  void undo_step() { --step_; }
  void count_steps(std::int64_t steps) { step_ += steps; }
  RegionPolicy* regions() { return regions_.get(); }  // null: each is run
  SemCell& cell(const SemId& sem) {
    return core_state(sem.core).semaphores.cell(sem.semaphore, sem.cell);
  }
  // Adds to a count and wakes who waits for it.
  void signal(const SemId& sem, std::int64_t amount, const AgentId& by, StmtId statement,
              std::int64_t agent_step, std::int64_t& events);
  void count_wait(const SemId& sem, std::int64_t amount, const Core& by);
  void note_loops(Tally& tally, const AgentId& by);
  void start(Copy copy);
  void allocate(Core& core, BufferId buffer);
  void release(Core& core, BufferId buffer);
  BufferId scope_of_once(StmtId once) const;  // none: it does not end
  void allocate_semaphore(Core& core, SemaphoreId semaphore);
  void drain(Core& core, const SemId& sem);
  void release_semaphore(Core& core, SemaphoreId semaphore);
  void block(Core& core);
  RunStats& stats() { return stats_; }
  Copies& copies() { return copies_; }

  // A finding of this agent at this statement, with the call chain after its own notes.
  void report(FindingKind kind, std::string message, const AgentId& agent, StmtId statement,
              std::vector<FindingPlace> notes = {});
  // The same, unless this agent has such a finding at this statement already.
  void report_once(FindingKind kind, std::string message, const AgentId& agent, StmtId statement);
  // As report(), and nothing moves from here on.
  void stop(FindingKind kind, std::string message, const AgentId& agent, StmtId statement,
            std::vector<FindingPlace> notes = {});
  void stop(Finding finding, const AgentId& agent, StmtId statement);
  // Of a core that stands at the statement, or the copy that moves and was started there.
  LoopIndices loops_of(const AgentId& agent, StmtId statement);
  // Bad input that only the run could see.
  void refuse(Diag diag);

  // Stops the run when more exists than the profile has; statement: the alloc, or -1 at the start.
  void check_capacity(Core& core, StmtId statement);
  // A semaphore that is not zero at a statement where it should be: a finding, and the run goes on.
  void report_leak(const SemId& sem, StmtId statement, const std::string& when = {});
  const std::vector<CoreIndex>& blocked() const { return blocked_; }

 private:
  // Enabled, for the scheduler.
  std::span<const Handle> all() const override { return ready_.all(); }
  Handle first_core() const override { return ready_.first_core(); }
  Handle oldest_copy() const override { return ready_.oldest_copy(); }
  Handle newest_copy() const override { return ready_.newest_copy(); }
  Handle awaited_copy() const override;
  Handle find(const AgentId& agent) const override;
  std::int64_t serial(Handle agent) const override {
    return is_core(agent) ? agent : topology_.all() + copies_.at(slot(agent)).serial;
  }
  Open open(Handle agent) const override {
    return is_core(agent) ? Open{} : open_of(copies_.at(slot(agent)));
  }

  void hash(const Event& event);
  bool look();
  bool may_step();
  void note_next_look();
  void end_by(RunEnd end);
  void end_without_memory();
  void loop();
  std::int64_t move(const Turn& turn);
  std::int64_t move_core(Core& core, const Turn& turn);
  std::int64_t move_copy(std::int32_t slot, const Turn& turn);
  Open open_of(const Copy& copy) const;
  CopyPart next_part(const Copy& copy, CopyPart part) const;
  void step_copy(std::int32_t slot, const CopyPart& part);
  CoreIndex owner_of_worker(CoreIndex core_index, BufferId buffer) const;
  CoreIndex lifetime_of_point(CoreIndex core_index, SemaphoreId semaphore) const;
  SemId counted_by_point(SemId sem) const;
  void wake(SemCell& cell);
  void settle(Core& core, Core::Pause pause);
  void begin_points(Core& core);
  void end_point(Core& loop_worker);
  void go_on(Core& core);
  void record(const AgentId& agent, std::int64_t steps, const CopyPart& part);
  std::vector<ResultHash> hash_results();
  bool is_slow(int device) const { return device == slow_device_; }
  // The handle of a core, or of a loop worker, is its index.
  bool is_core(Handle agent) const { return agent < topology_.all(); }
  static Handle handle(CoreIndex core_index) { return core_index.index; }
  static CoreIndex core_index(Handle core) { return CoreIndex(core); }
  Handle handle(std::int32_t slot) const { return topology_.all() + slot; }
  std::int32_t slot(Handle agent) const { return agent - topology_.all(); }
  AgentId id_of(Handle agent) const;

  const Program& program_;
  const RunOptions& options_;
  Schedule schedule_;
  Code code_;
  Table<StmtId, bool> left_out_;                       // empty in a run with arithmetic
  Table<BufferId, std::vector<BufferId>> once_until_;  // by the scope of a `once`: its refs
  Table<StmtId, StmtId> work_;  // in a program without debug statements; empty: this is one
  int slow_device_;
  Topology topology_;
  Table<CoreIndex, std::unique_ptr<CoreState>> core_states_;
  std::unique_ptr<LoopWorkers> points_;  // null: each core does its points one after the other
  std::unique_ptr<RegionPolicy> regions_;
  Copies copies_;
  CopyEngine copy_engine_{*this};
  Ready ready_;
  std::vector<CoreIndex> blocked_;  // cores, longest first
  std::unique_ptr<Scheduler> scheduler_;
  bool observes_;
  std::vector<Observer*> observers_;  // subset of options_.observers that sees events
  TraceHash hash_;
  std::int64_t step_ = 0;
  std::int64_t passed_ = 0;       // what ops without a step amount to, in steps
  std::int64_t next_look_ = 0;    // the step before which may_step() is asked
  std::int64_t limits_look_ = 0;  // the one before which limits and requests are looked at
  std::int64_t pause_at_ = 0;     // the run pauses when so many steps are done
  Pausing* pausing_ = nullptr;
  bool is_paused_ = false;
  bool is_begun_ = false, is_checked_at_end_ = false;
  std::optional<Turn> turn_;     // that is being taken; a run may pause within it
  std::int64_t turn_steps_ = 0;  // of it, that are done
  RunEnd end_ = RunEnd::program;
  std::int64_t starts_ = 0;
  const Copy* moving_ = nullptr;  // the copy that moves
  bool stopped_ = false;
  std::optional<Diag> refused_;
  std::vector<Finding> findings_;
  std::vector<ScheduleItem> recorded_;
  RunStats stats_;
};

}  // namespace tessera
