// A core of a device: its registers, its position in the program, and the operations that exec()
// functions use to read, write, signal and wait. The core and the machine check bounds, undefined
// data and lifetimes, and emit events.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/finding.h"
#include "interp/dma/copy.h"
#include "interp/exec/exec.h"
#include "interp/machine/code.h"
#include "interp/machine/undefined_element.h"
#include "interp/memory/joined_boxes.h"
#include "interp/observe/event.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {

class Machine;

// Count that a blocked core waits for.
struct Need {
  SemId sem;
  std::int64_t count = 0;
};

class Core {
 public:
  // machine, code: must outlive this object.
  Core(Machine& machine, AgentId id, const Code& code);

  // Reason for the end of run(). point: a loop worker has finished an iteration. forked: the core
  // is before an iteration for a loop worker, or waits for such iterations to end.
  enum class Pause : std::uint8_t { ready, blocked, finished, stopped, point, forked };
  // Runs until `steps` steps are done, until it has started a copy (if until_start), or until it
  // cannot continue. Ops that are not steps are run up to the next step, so the core always pauses
  // before a step. A free loop worker first takes an iteration, which is a step, and requires
  // `steps` > 0.
  Pause run(std::int64_t steps, bool until_start);

  // Operands and results of the current op.
  std::int64_t scalar(ValueId value) const { return registers_[value]; }
  float real(ValueId value) const { return real_register(scalar(value)); }
  void result(std::int64_t value) { registers_[stmt().result] = value; }
  void result(float value) { result(to_register(value)); }
  // Sets an undefined result, for a read outside the memory or of an element that is undefined
  // because of such a read. The first field of the op must be the slice that it reads.
  void undefined_result();
  // Stores the undefined scalar `value`: the element becomes undefined.
  void store_undefined(const Region& at, ValueId value);
  Box box(const Slice& slice) const;  // with the current values of its indices
  const std::string& text(TextId id) const;

  // Check an access of the current op like access(), and return a view of the rectangle. After a
  // finding, views are empty and stopped() is true. Call read() before write(). read() also accepts
  // numbers; for an element outside the memory, it returns an undefined one (access_scalar()).
  TileView read(const Slice& slice);
  TileView write(const Slice& slice);
  TileView update(const Slice& slice);
  // Returns the rectangle of a slice at this core, checks it like locate(), and emits the event of
  // the access unless the rectangle is empty. With Uninitialised::strict, also checks that elements
  // that are read are initialised. After a finding, storage is null.
  Region access(const Slice& slice, EventKind kind);
  // Like access(), to read a scalar. Outside the memory, it reports a finding and returns null
  // storage, but the run continues: the value is undefined.
  Region access_scalar(const Slice& slice);
  // Returns the rectangle of a slice at a core, without an event. Ends the run with a finding and
  // returns null storage if it leaves the memory or, at the own core, if the memory is not live. A
  // rectangle without elements is always inside, and its start becomes 0. verb: for messages.
  Region locate(const Slice& slice, CoreIndex core_index, std::string_view verb);
  // Rectangle of a slice, without checks or events. storage is null if the slice leaves the memory,
  // or if the memory is not live or is idle.
  Region peek(const Slice& slice);
  // Cell of the core's own semaphore that the slice names, and its count. None if there is no such
  // cell or, for the count, if the semaphore is not live. No step, event or finding.
  std::optional<std::int64_t> peek_cell(const Slice& slice);
  std::optional<std::int64_t> peek_count(const Slice& slice);
  // True if the value was computed from a scalar read outside its memory or, in debug statements,
  // from undefined memory.
  bool is_undefined(ValueId value) const { return undefined_.count > 0 && undefined_.by[value]; }
  // Returns the core that an op specifies by device and core; without `core`, the one with the own
  // number. If there is no such core, ends the run with a finding and returns none. slice, verb:
  // for the message.
  CoreIndex target(const Slice& slice, ValueId device, Maybe core, std::string_view verb);
  // Stops the run if elements of the region, which are read as scalars, are undefined. The policy
  // poison disables this check. region: storage must not be null.
  void require_initialised(const Region& region);

  // Returns the cell that the slice names at a core. Ends the run with a finding and returns cell
  // -1 if an index is outside the array or, at the own core, if the semaphore is not live.
  SemId locate_sem(const Slice& slice, CoreIndex core_index, std::string_view verb);
  void signal(const SemId& sem, std::int64_t count);  // see Machine::signal()
  // True if the count of `sem` is at least `count`; else the core becomes blocked with this need().
  bool reaches(const SemId& sem, std::int64_t count);

  tile::Context tile_context() const;  // requires a current op
  // Ends the run with a finding at the current statement.
  void fail(FindingKind kind, std::string message, std::vector<FindingPlace> notes = {});
  // Reports a finding that does not end the run, once per kind, agent and statement.
  void report_once(FindingKind kind, std::string message);
  bool stopped() const;
  // Emit an event of this core, at the current statement or at another one. They set the agent, the
  // statement and the numbers of the event. No effect in a run without checks.
  void emit(Event event) { emit_at(statement(), event); }
  void emit_at(StmtId statement, Event event);
  // Counts skipped steps of the core and of the run as done.
  void count_steps(std::int64_t steps);

  Machine& machine() { return machine_; }
  const Stmt& stmt() const { return *stmt_; }
  // Statement of stmt(); none before the first op with an exec(). After the core has finished, the
  // last one.
  StmtId statement() const;
  const AgentId& id() const { return id_; }
  CoreIndex index() const { return index_; }
  bool is_finished() const { return finished_; }
  bool is_blocked() const { return blocked_; }
  const Need& need() const { return need_; }  // requires is_blocked()
  // Call this when the buffer is allocated or released: its elements may move.
  void forget_cells(BufferId buffer) {
    cells_[buffer] = {};
    if (!numbers_.empty()) numbers_[buffer].data = nullptr;
  }
  void unblock() { blocked_ = false; }
  const std::vector<std::int64_t>& registers() const { return registers_.entries(); }
  std::int64_t steps() const { return steps_; }
  std::int64_t ops() const { return ops_; }
  std::int64_t next_copy() { return copies_++; }  // number for AgentId::dma
  std::int64_t copies() const { return copies_; }

  // Concurrent iterations (interp/machine/loop_workers.h). A core offers its iterations in order; a
  // free loop worker takes one with its next step.
  void deal_points() { deals_ = true; }
  bool has_point() const { return has_point_; }
  StmtId dealt_loop() const;  // loop with iterations for loop workers; requires Pause::forked
  void begin_fork();          // loop worker: becomes free
  bool is_loop_worker() const { return id_.worker >= 0; }
  bool is_free() const { return is_free_; }
  // Loop worker: takes the current iteration of the core, which advances to its next iteration.
  // Requires core.has_point().
  void take_point_of(Core& core);
  void end_fork();  // core: leaves the loop, after all iterations have ended
  // Next core that waits for the same cell.
  CoreIndex next_waiter() const { return next_waiter_; }
  void set_next_waiter(CoreIndex next) { next_waiter_ = next; }

  // Undefined registers.
  struct Undefined {
    Table<ValueId, StmtId> by{};  // read that made the register undefined; none: defined
    std::int32_t count = 0;       // number of undefined registers
    bool tracks = false;          // use run_ops<true>
  };

  // State between two steps. Only for cores without loop workers.
  struct Image {
    std::vector<std::int64_t> registers;
    Undefined undefined;
    std::size_t pc = 0;
    const Stmt* statement = nullptr;
    bool is_finished = false, is_blocked = false;
    Need need{};
    CoreIndex next_waiter{};
    std::int64_t steps = 0, ops = 0, events = 0, copies = 0;
  };
  Image save() const;
  void restore(const Image& image);

 private:
  // Continuation of the dispatch loop after an instruction.
  enum class Next : std::uint8_t {
    op,         // the next instruction
    uncounted,  // the next instruction; this one is not counted as an op
    step,       // exec() must run; returned by step(): a step was done
    rest        // the core pauses here
  };
  struct Dispatch;  // interp/machine/core_run.cpp
  // Like run(). tracks: propagates undefined registers from op to op; must be undefined_.tracks.
  // Returns none if the next op needs the other instantiation.
  template <bool tracks>
  std::optional<Pause> run_ops(std::int64_t& steps, bool until_start);
  std::optional<Pause> change_loop(std::size_t pc, std::int64_t ops);
  // Runs the exec() of the op at `i` and advances `i`, unless the core pauses before the op.
  Next step(const Instruction*& i, std::int64_t& steps, bool until_start);
  // True if the current op runs now, and then counts the step in the machine. False: the core
  // pauses before it.
  bool may_step(std::int64_t steps, bool is_step);
  // Pauses at pc. ops: number of ops since the loop began.
  Pause rest(std::size_t pc, std::int64_t ops);
  // True if the current op is a wait whose count is not reached; the core is then blocked.
  bool would_block();
  void choose_point(const Instruction& loop);
  void enter_point(const Instruction& loop);
  bool reach_point(const Instruction& loop);  // true: the iteration is for a loop worker
  void emit_point(const Instruction& loop);
  void leave_points(const Instruction& loop);
  void emit_points(const Instruction& loop, EventKind kind, std::int64_t point);
  // Look up the bytes for accesses in place.
  void find_cells(BufferId buffer);
  void find_numbers(BufferId buffer);
  // Access an untraced scalar in place. Return false if the op's exec() must do it.
  bool load_number(const Instruction& i);
  bool store_number(const Instruction& i);
  // Adds a load to the loads that tell_loads() reports as events of the previous step.
  void note_told(StmtId statement, BufferId buffer, std::int64_t position);
  // True if loads before this event may be reported after it.
  bool is_beside_loads(StmtId statement, EventKind kind) const;
  void tell_loads();
  void check_written();  // stops the run if elements of results_written_ are undefined; clears it
  // Executes an op of a debug statement; no effect without a debug sink.
  void look(StmtId statement);
  // Executes a read of an assertion. Returns false if the run is stopped.
  bool ask(StmtId statement);
  void tell_asked(Event& event);

  // Undefined registers (core_undefined.cpp).
  //
  // Records whether the result of the next instruction is undefined. Returns false, and the run is
  // stopped, if it uses an undefined scalar for control or as an index.
  bool pass_undefined(const Instruction& next, StmtId statement);
  bool stores_undefined(StmtId statement) const;
  void note_undefined(ValueId value, StmtId by);  // by: none: the value is defined
  // Returns the read that made the first undefined operand undefined; none if all are defined.
  StmtId undefined_operand(const Op& op) const;
  bool is_decided(const Op& op) const;  // one defined operand determines the result, as in 0 * x
  // Stops the run and returns true if the op uses an undefined scalar as an index or for control.
  bool decides_by_undefined(const Op& op);
  // Returns a view of an undefined element, valid as long as this object.
  TileView undefined_element(StmtId read, DType dtype);

  struct Cells {
    std::int64_t* data = nullptr;
    std::uint64_t count = 0;
  };

  // Untraced scalars of a buffer.
  struct Numbers {
    std::byte* data = nullptr;  // null: not looked up since the allocation
    Storage* storage = nullptr;
    // Row-major positions of loads that are not reported yet: the last contiguous range, and the
    // rectangles of earlier ranges.
    std::int64_t first = -1, last = -1;
    JoinedBoxes told;
    StmtId statement;  // first load
  };

  Machine& machine_;
  AgentId id_;
  CoreIndex index_;
  const Code& code_;
  Table<BufferId, Cells> cells_;      // empty entry: not private, or not all defined
  Table<BufferId, Numbers> numbers_;  // empty: no untraced scalars
  std::vector<BufferId> to_tell_;     // with unreported loads
  Table<ValueId, std::int64_t> registers_;
  Undefined undefined_;
  std::map<StmtId, UndefinedElement> undefined_elements_;  // by the read
  bool is_asking_ = false;                                 // an assertion is reading memory
  std::size_t pc_ = 0;
  const Stmt* stmt_ = nullptr;  // op at pc_, if it has an exec()
  bool finished_ = false;
  bool blocked_ = false;
  Need need_;
  bool deals_ = false;                  // loop workers run its iterations
  bool has_point_ = false;              // before an iteration for a loop worker
  bool is_free_ = false;                // loop worker without an iteration
  const Instruction* dealt_ = nullptr;  // loop with iterations for loop workers; null: in none
  std::size_t dealt_end_ = 0;           // pc of the end of its iterations
  std::size_t fork_end_ = 0;   // pc of the end of the outermost loop around it that the fork covers
  std::size_t point_end_ = 0;  // loop worker: pc of the end of its iteration
  CoreIndex next_waiter_{};
  std::int64_t steps_ = 0, ops_ = 0, events_ = 0, copies_ = 0;
  std::vector<Region> results_written_;  // by the current op; must be defined
};

}  // namespace tessera
