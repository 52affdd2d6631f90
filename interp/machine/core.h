// A core of a device: its registers, where it stands, and everything that op bodies may do. Bodies
// read, write, signal and wait through it; bounds, undefined data, lifetimes and events are its
// business and the machine's.
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

// What a core that is blocked waits for.
struct Need {
  SemId sem;
  std::int64_t count = 0;
};

class Core {
 public:
  Core(Machine& machine, AgentId id, const Code& code);

  // point: a loop worker has done one; forked: the core stands before a point that is to be dealt,
  // or waits for those that were.
  enum class Pause : std::uint8_t { ready, blocked, finished, stopped, point, forked };
  // Runs until it has done that many steps (and, if asked, after a start), or cannot go on. A step
  // is an op with an exec(); the scalar ops after it are run too, so a core always rests before its
  // next step.
  Pause run(std::int64_t steps, bool until_start);

  // Operands and results of the op at hand.
  std::int64_t scalar(ValueId value) const { return registers_[value]; }
  float real(ValueId value) const { return real_register(scalar(value)); }
  void result(std::int64_t value) { registers_[stmt().result] = value; }
  void result(float value) { result(to_register(value)); }
  // The result is undefined: the op read outside its memory.
  void undefined_result();
  // The element becomes undefined, for it is the undefined value that the op stores there.
  void store_undefined(const Region& at, ValueId value);
  Box box(const Slice& slice) const;
  const std::string& text(TextId id) const;

  // Accesses. After a finding views are empty and stopped() holds; read before you write.
  TileView read(const Slice& slice);
  TileView write(const Slice& slice);
  TileView update(const Slice& slice);
  // The rectangle, checked and told to observers; storage is null after a finding.
  Region access(const Slice& slice, EventKind kind);
  // The same for the read of a scalar. Outside the memory it is a finding, but the run goes on: its
  // value is undefined.
  Region access_scalar(const Slice& slice);
  // Checked only, at a core. A rectangle without elements has no place: it is always inside.
  Region locate(const Slice& slice, CoreIndex core_index, std::string_view verb);
  // Where a slice lies, for who only looks: nothing is checked or told.
  Region peek(const Slice& slice);
  // Of the core's own cell of the semaphore that the slice names, and its count; none where there
  // is no such cell, or it does not exist now. No step, no event and no finding.
  std::optional<std::int64_t> peek_cell(const Slice& slice);
  std::optional<std::int64_t> peek_count(const Slice& slice);
  // True if the value was computed from one that was read outside its memory, or, for debug
  // statements, from undefined memory.
  bool is_undefined(ValueId value) const { return undefined_.count > 0 && undefined_.by[value]; }
  // The core that an op names by device and core, for `verb` of `slice`; none after a finding.
  CoreIndex target(const Slice& slice, ValueId device, Maybe core, std::string_view verb);
  // Undefined elements among those read as scalars are a finding, unless the policy is poison.
  void require_initialised(const Region& region);

  // Semaphores. locate_sem: cell is -1 after a finding.
  SemId locate_sem(const Slice& slice, CoreIndex core_index, std::string_view verb);
  void signal(const SemId& sem, std::int64_t count);
  // Whether sem has reached the count; if not the core is blocked.
  bool reaches(const SemId& sem, std::int64_t count);

  tile::Context tile_context() const;
  void fail(FindingKind kind, std::string message, std::vector<FindingPlace> notes = {});
  // A finding that does not end the run, reported the first time that this agent has it at the
  // statement.
  void report_once(FindingKind kind, std::string message);
  bool stopped() const;
  void emit(Event event) { emit_at(statement(), event); }
  void emit_at(StmtId statement, Event event);
  // So many steps that it need not take count as done.
  void count_steps(std::int64_t steps);

  Machine& machine() { return machine_; }
  const Stmt& stmt() const { return *stmt_; }
  StmtId statement() const;
  const AgentId& id() const { return id_; }
  CoreIndex index() const { return index_; }
  bool is_finished() const { return finished_; }
  bool is_blocked() const { return blocked_; }
  const Need& need() const { return need_; }
  // The buffer begins or ends to exist: its cells are not where they were.
  void forget_cells(BufferId buffer) {
    cells_[buffer] = {};
    if (!numbers_.empty()) numbers_[buffer].data = nullptr;
  }
  void unblock() { blocked_ = false; }
  const std::vector<std::int64_t>& registers() const { return registers_.entries(); }
  std::int64_t steps() const { return steps_; }
  std::int64_t ops() const { return ops_; }
  std::int64_t next_copy() { return copies_++; }
  std::int64_t copies() const { return copies_; }

  // Points side by side (interp/machine/loop_workers.h). A core deals them out one after the other;
  // a loop worker that is free takes one with its next step.
  void deal_points() { deals_ = true; }
  bool has_point() const { return has_point_; }
  StmtId dealt_loop() const;  // the loop whose points are dealt
  void begin_fork();
  bool is_loop_worker() const { return id_.worker >= 0; }
  bool is_free() const { return is_free_; }
  void take_point_of(Core& core);
  void end_fork();
  // Of those who wait for one cell: who is behind this one.
  CoreIndex next_waiter() const { return next_waiter_; }
  void set_next_waiter(CoreIndex next) { next_waiter_ = next; }

  // Registers that are undefined.
  struct Undefined {
    Table<ValueId, StmtId> by{};  // the read out of bounds; none: the register is defined
    std::int32_t count = 0;       // undefined registers
    bool tracks = false;          // run_ops<true> is used
  };

  // Where it stands between two steps, and as it stood; of cores that deal no points.
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
    step,       // the op has an exec() that is to run; after step(): it was a step
    rest        // the core rests here
  };
  struct Dispatch;  // interp/machine/core_run.cpp
  // tracks: which registers are undefined is passed on from op to op. None: the next op is for the
  // other of the two forms.
  template <bool tracks>
  std::optional<Pause> run_ops(std::int64_t& steps, bool until_start);
  std::optional<Pause> change_loop(std::size_t pc, std::int64_t ops);
  // Runs the exec() of the op at `i` and moves `i` on, unless the core rests before the op.
  Next step(const Instruction*& i, std::int64_t& steps, bool until_start);
  bool may_step(std::int64_t steps, bool is_step);
  Pause rest(std::size_t pc, std::int64_t ops);
  bool would_block();
  void choose_point(const Instruction& loop);
  void enter_point(const Instruction& loop);
  bool reach_point(const Instruction& loop);
  void emit_point(const Instruction& loop);
  void leave_points(const Instruction& loop);
  void emit_points(const Instruction& loop, EventKind kind, std::int64_t point);
  void find_cells(BufferId buffer);
  void find_numbers(BufferId buffer);
  bool load_number(const Instruction& i);
  bool store_number(const Instruction& i);
  void note_told(StmtId statement, BufferId buffer, std::int64_t position);
  bool is_beside_loads(StmtId statement, EventKind kind) const;
  void tell_loads();
  void check_written();
  void look(StmtId statement);
  bool ask(StmtId statement);
  void tell_asked(Event& event);

  // Undefined registers (core_undefined.cpp).
  bool pass_undefined(const Instruction& next, StmtId statement);
  bool stores_undefined(StmtId statement) const;
  void note_undefined(ValueId value, StmtId by);
  StmtId undefined_operand(const Op& op) const;
  bool is_decided(const Op& op) const;
  bool decides_by_undefined(const Op& op);
  TileView undefined_element(StmtId read, DType dtype);

  struct Cells {
    std::int64_t* data = nullptr;
    std::uint64_t count = 0;
  };

  // Of a buffer whose numbers are read and written in no step.
  struct Numbers {
    std::byte* data = nullptr;  // null: not looked up since the buffer began
    Storage* storage = nullptr;
    // Row-major positions that were read and are to be told: the last stretch, and those before it.
    std::int64_t first = -1, last = -1;
    JoinedBoxes told;
    StmtId statement;  // the first that read
  };

  Machine& machine_;
  AgentId id_;
  CoreIndex index_;
  const Code& code_;
  Table<BufferId, Cells> cells_;      // empty: not private, or not all defined
  Table<BufferId, Numbers> numbers_;  // empty: each is read and written in a step
  std::vector<BufferId> to_tell_;     // of which loads are to be told
  Table<ValueId, std::int64_t> registers_;
  Undefined undefined_;
  std::map<StmtId, UndefinedElement> undefined_elements_;  // by the read
  bool is_asking_ = false;                                 // an assertion reads memory
  std::size_t pc_ = 0;
  const Stmt* stmt_ = nullptr;  // the op at pc_, when it has an exec()
  bool finished_ = false;
  bool blocked_ = false;
  Need need_;
  bool deals_ = false;                  // its points are for loop workers
  bool has_point_ = false;              // it stands before one
  bool is_free_ = false;                // a loop worker without a point
  const Instruction* dealt_ = nullptr;  // the loop whose points are dealt; null: it is in none
  std::size_t dealt_end_ = 0;           // where a point of it ends
  std::size_t fork_end_ = 0;   // where the outermost of the loops that are dealt with it ends
  std::size_t point_end_ = 0;  // of a loop worker: where its point ends
  CoreIndex next_waiter_{};
  std::int64_t steps_ = 0, ops_ = 0, events_ = 0, copies_ = 0;
  std::vector<Region>
      results_written_;  // by the op at hand: results of the program must be defined
};

}  // namespace tessera
