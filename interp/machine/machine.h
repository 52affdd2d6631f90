// The simulated machine: cores of devices with their memory and semaphores, copies in flight, and
// the loop that moves the agents in the order of the schedule.
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

// A core with its memory and semaphores. Cores of a device share its hbm.
struct CoreState {
  CoreState(const Program& program, const MachineProfile& profile, Machine& machine,
            const AgentId& id, const Code& code)
      : semaphores(program, profile.shares_scoped_semaphores), core(machine, id, code) {}
  Table<BufferId, std::shared_ptr<Storage>> storages;
  Table<BufferId, std::int64_t> lives;  // number of allocations (generation)
  Semaphores semaphores;
  Usage usage;
  Core core;
};

// Decides before each step whether the run pauses.
class Pausing {
 public:
  // True: the run pauses before the step. Called again for that step when the run continues.
  virtual bool before_step() = 0;

 protected:
  ~Pausing() = default;
};

// Decides at the begin of each trace region whether it runs, and receives all events. Must emit the
// events EventKind::enter and leave of regions that run.
class RegionPolicy {
 public:
  virtual ~RegionPolicy() = default;
  virtual Step enter(Core& core) = 0;  // next: the region runs; skip: the whole region is done
  virtual void leave(Core& core) = 0;  // at the end of a region that ran
  virtual void on(const Event& event) = 0;
};

class Machine : private Enabled {
 public:
  // Program and options must outlive this object. schedule: from parse_schedule(). code: the
  // compiled program. steps_expected: number of steps of the run, for strategies that draw among
  // them; 0: unknown.
  Machine(const Program& program, const RunOptions& options, const Schedule& schedule, Code code,
          std::int64_t steps_expected = 0);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Enables loop workers; call it before bind(). cells: the semaphore cells that iterations share.
  void split_points(SharedCells cells);
  // Without a policy, all regions run.
  void set_regions(std::unique_ptr<RegionPolicy> regions) { regions_ = std::move(regions); }
  // Creates the storages; call it once, before the run. Operands and results use the tensors in
  // `bindings`, one binding per device, which must have passed check_input(). The tensors must
  // outlive this object.
  void bind(const std::vector<Binding>& bindings);
  // Moves agents until none can move or the run is stopped. Unless it was stopped, `checks` then
  // adds findings. Returns the result. Fails like end(), and throws like advance().
  using ExitChecks = std::vector<Finding> (*)(Machine& machine);
  Expected<RunResult> run(ExitChecks checks);
  // run() in parts: begin() once, then advance() repeatedly, then end() once. advance() moves
  // agents until `steps` steps are done in total, `pausing` pauses before a step, or the run is
  // over. It returns true if the run is over, false if it pauses. Pauses do not change the run. If
  // memory is exhausted, the run ends with RunEnd::memory; before the first step, advance() throws
  // std::bad_alloc or std::length_error. end() moves the findings to the result. It fails with
  // problem() if the run refused its input, and with ErrorCode::unsupported if arithmetic that
  // control depends on was skipped and the run had a finding or a problem.
  void begin();
  bool advance(ExitChecks checks, std::int64_t steps, Pausing* pausing = nullptr);
  Expected<RunResult> end();
  // State of a paused machine. After restore(), with an image of this machine, the run continues as
  // it did after save(). Not with loop workers, untraced scalars or a region policy; can_be_saved()
  // checks only for loop workers. save() throws std::bad_alloc. held: counts the bytes of the
  // image.
  bool can_be_saved() const { return points_ == nullptr; }
  std::shared_ptr<const MachineImage> save(const HeldBytes& held);
  void restore(const MachineImage& image);
  std::int64_t steps() const { return step_; }  // number of steps done
  // Agent of the next step of a paused run, and its statement: for a copy, its start; none for a
  // loop worker without an iteration.
  AgentId mover() const { return id_of(turn_->agent); }
  StmtId mover_statement() const;
  const std::vector<Finding>& findings() const { return findings_; }
  RunEnd ended_by() const { return end_; }  // a limit or a signal; RunEnd::program if none did
  const std::optional<Diag>& problem() const { return refused_; }  // set by refuse()
  std::uint64_t trace_hash() const { return hash_.value(); }       // hash so far

  // The next functions are for cores and copies.
  //
  const Program& program() const { return program_; }
  const RunOptions& options() const { return options_; }
  // Arithmetic of the statement: none if a run without arithmetic skips it.
  Math math_of(StmtId statement) const {
    if (left_out_.empty()) return options_.math;
    return left_out_[statement] ? Math::none : Math::exact;
  }
  const Topology& topology() const { return topology_; }
  int cores() const { return topology_.count(); }  // number of cores of all devices
  // The core that owns a buffer, or stores the lifetime of a semaphore or a count, that is accessed
  // at `core_index`: that core itself, or the core of a loop worker for objects that they share.
  CoreIndex owner(CoreIndex core_index, BufferId buffer) const {
    return points_ == nullptr ? core_index : owner_of_worker(core_index, buffer);
  }
  CoreIndex lifetime_core(CoreIndex core_index, SemaphoreId semaphore) const {
    return points_ == nullptr ? core_index : lifetime_of_point(core_index, semaphore);
  }
  SemId counted(const SemId& sem) const { return points_ == nullptr ? sem : counted_by_point(sem); }
  const LoopWorkers* points() const { return points_.get(); }  // null: no loop workers
  void take_point(Core& loop_worker);  // gives it the next iteration of its core
  // Cores, and loop workers that are running an iteration.
  std::vector<CoreIndex> at_work() const;
  CoreState& core_state(CoreIndex core_index) { return *core_states_[core_index]; }
  bool stopped() const { return stopped_; }
  bool is_paused() const { return is_paused_; }  // paused before a step
  bool observes() const { return observes_; }
  // Emits the event to the trace hash, the region policy and the observers. Sets Event::step, and
  // registers or loops; the caller sets the other fields. Observers may use its pointers only
  // during the call.
  void emit(Event& event);
  // Emits a read by an assertion, which is not a part of the run, to observers with
  // observes_assertions().
  void emit_asked(Event& event);
  // True if limits and stop requests are checked before the next step.
  bool looks_before_step() const { return step_ >= next_look_; }
  // Counts the next step, which the caller then does. False if the run pauses or is stopped.
  bool begin_step() {
    if (looks_before_step() && !may_step()) return false;
    ++step_;
    return true;
  }
  // Counts ops of a core that are not steps, and checks limits and stop requests. False if the run
  // is stopped.
  bool pass(std::int64_t ops);
  void undo_step() { --step_; }
  void count_steps(std::int64_t steps) { step_ += steps; }
  RegionPolicy* regions() { return regions_.get(); }  // null: all regions run
  SemCell& cell(const SemId& sem) {
    return core_state(sem.core).semaphores.cell(sem.semaphore, sem.cell);
  }
  // Adds to a count, emits the event and unblocks cores that wait for the count. Stops the run with
  // a finding if the semaphore does not exist or the count overflows. events: next event index of
  // the agent, incremented.
  void signal(const SemId& sem, std::int64_t amount, const AgentId& by, StmtId statement,
              std::int64_t agent_step, std::int64_t& events);
  // Adds a wait to the tallies of the cell; no effect without checks. The caller changes the count.
  void count_wait(const SemId& sem, std::int64_t amount, const Core& by);
  void note_loops(Tally& tally, const AgentId& by);  // stores the loop values of the agent
  // Adds a copy to the copies in flight and to the pending copies of its semaphores. Sets its
  // serial and granules.
  void start(Copy copy);
  // Begin and end the lifetime of a scoped buffer or semaphore for the current op of the core. They
  // stop the run with a finding if the object exists already, or does not exist. allocate() and
  // allocate_semaphore() also check capacities; release_semaphore() reports leftover counts, and
  // stops the run if a copy will still signal a cell.
  void allocate(Core& core, BufferId buffer);
  void release(Core& core, BufferId buffer);
  BufferId scope_of_once(StmtId once) const;  // its release ends the `once`; none: it does not end
  void allocate_semaphore(Core& core, SemaphoreId semaphore);
  void drain(Core& core, const SemId& sem);  // sets the count to 0, as a wait of the core
  void release_semaphore(Core& core, SemaphoreId semaphore);
  void block(Core& core);  // adds the core to the waiters for its need()
  RunStats& stats() { return stats_; }
  Copies& copies() { return copies_; }

  // Adds a finding of the agent at the statement; the call chain is appended to the notes.
  // report_once() and stop() have no effect after the run is stopped; report() does.
  void report(FindingKind kind, std::string message, const AgentId& agent, StmtId statement,
              std::vector<FindingPlace> notes = {});
  // The same, unless the agent already has a finding of this kind at the statement.
  void report_once(FindingKind kind, std::string message, const AgentId& agent, StmtId statement);
  // Like report(), then stops the run.
  void stop(FindingKind kind, std::string message, const AgentId& agent, StmtId statement,
            std::vector<FindingPlace> notes = {});
  void stop(Finding finding, const AgentId& agent, StmtId statement);
  // Loop indices of a core that is at the statement, or of the moving copy that was started there;
  // empty for a copy that is not moving.
  LoopIndices loops_of(const AgentId& agent, StmtId statement);
  // Stops the run with an error in its input that only the run could find; end() returns the first.
  void refuse(Diag diag);

  // Stops the run if more memory or semaphores exist than the profile has. statement: the alloc.
  void check_capacity(Core& core, StmtId statement);
  // Reports a semaphore that is not zero at a statement where it should be, once per cell. The run
  // continues. No effect without checks. when: see leak_finding().
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
  // Reports progress, and checks limits and stop requests. Returns false if the run is stopped.
  bool look();
  // Calls look() if it is due, then checks for a pause. Returns false if the run is stopped or
  // paused.
  bool may_step();
  void note_next_look();
  void end_by(RunEnd end);  // no effect if the run is stopped already
  // Ends the run with RunEnd::memory; before the first step, rethrows. Call it in a handler.
  void end_without_memory();
  void loop();
  // Move an agent and return the number of steps that it did, at most turn.steps.
  std::int64_t move(const Turn& turn);
  std::int64_t move_core(Core& core, const Turn& turn);
  std::int64_t move_copy(std::int32_t slot, const Turn& turn);
  Open open_of(const Copy& copy) const;
  // Returns the requested part with its number of granules, or the default part. 0 granules: the
  // copy cannot do this now.
  CopyPart next_part(const Copy& copy, CopyPart part) const;
  void step_copy(std::int32_t slot, const CopyPart& part);
  CoreIndex owner_of_worker(CoreIndex core_index, BufferId buffer) const;
  CoreIndex lifetime_of_point(CoreIndex core_index, SemaphoreId semaphore) const;
  SemId counted_by_point(SemId sem) const;
  // Unblocks the cores that wait on the cell, if their count is reached.
  void wake(SemCell& cell);
  // Updates the sets of ready and blocked agents after Core::run().
  void settle(Core& core, Core::Pause pause);
  void begin_points(Core& core);
  void end_point(Core& loop_worker);
  void go_on(Core& core);
  void record(const AgentId& agent, std::int64_t steps, const CopyPart& part);
  // Errors if the run has an error or a finding that skipped arithmetic may have caused; else
  // empty.
  Diags untrusted_end() const;
  std::vector<ResultHash> hash_results();  // by device, then in the order of the buffers
  bool is_slow(int device) const { return device == slow_device_; }
  // The handle of a core or of a loop worker is its index.
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
  Table<StmtId, StmtId> work_;  // numbers without debug statements; empty: no debug statements
  int slow_device_;
  Topology topology_;
  Table<CoreIndex, std::unique_ptr<CoreState>> core_states_;
  std::unique_ptr<LoopWorkers> points_;  // null: each core runs its iterations in order
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
  std::int64_t passed_ = 0;       // ops that were not steps, converted to steps
  std::int64_t next_look_ = 0;    // step before which may_step() is called
  std::int64_t limits_look_ = 0;  // step before which limits and requests are checked
  std::int64_t pause_at_ = 0;     // number of steps after which the run pauses
  Pausing* pausing_ = nullptr;
  bool is_paused_ = false;
  bool is_begun_ = false, is_checked_at_end_ = false;
  std::optional<Turn> turn_;     // turn in progress; a run may pause within it
  std::int64_t turn_steps_ = 0;  // done steps of the turn
  RunEnd end_ = RunEnd::program;
  std::int64_t starts_ = 0;
  const Copy* moving_ = nullptr;  // the moving copy
  bool stopped_ = false;
  std::optional<Diag> refused_;
  std::vector<Finding> findings_;
  std::vector<ScheduleItem> recorded_;
  RunStats stats_;
};

}  // namespace tessera
