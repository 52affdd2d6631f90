// The dispatch loop: scalars and jumps inline (core_dispatch.h), everything else by exec().
#include <optional>

#include "core/passes/at_once.h"
#include "core/report/check.h"
#include "interp/machine/core_dispatch.h"

namespace tessera {
namespace {

// A change between the two forms of run_ops() counts as this many ops, so that a loop of such
// changes ends at a limit.
constexpr std::int64_t ops_of_a_change = 256;

// How an op with an exec() counts.
enum class Kind : std::uint8_t {
  step,
  region,  // begin or end of a trace region: no step
  cell,    // access to a private cell that cannot be read or written in place: no step
  number   // access to an untraced scalar that cannot be read or written in place
};

Kind kind_of(std::uint16_t code) {
  if (code >= static_cast<std::uint16_t>(Jump::load_cell)) return Kind::cell;
  if (code == static_cast<std::uint16_t>(Jump::load_number) ||
      code == static_cast<std::uint16_t>(Jump::store_number))
    return Kind::number;
  return code == op_index<Trace>() || code == op_index<End>() ? Kind::region : Kind::step;
}

}  // namespace

Core::Pause Core::rest(std::size_t pc, std::int64_t ops) {
  pc_ = pc;
  ops_ += ops;
  // A core that deals points, or waits for them, is before what comes next.
  if (dealt_ != nullptr) stmt_ = &machine_.program().body[code_.statement[pc]];
  const Pause pause = machine_.stopped()     ? Pause::stopped
                      : machine_.is_paused() ? Pause::ready
                      : finished_            ? Pause::finished
                      : blocked_             ? Pause::blocked
                      : is_free_             ? Pause::point
                      : dealt_ != nullptr    ? Pause::forked
                                             : Pause::ready;
  // The run may end here; else what comes tells them before anybody can tell the difference.
  if (!to_tell_.empty() && (pause != Pause::ready || machine_.is_paused())) tell_loads();
  return pause;
}

// Private scalars are read and written in place once all of them are defined; before that, and out
// of bounds, by the op's exec().
void Core::find_cells(BufferId buffer) {
  Storage& storage = *machine_.core_state(site_).storages[buffer];
  cells_[buffer] = {storage.cells(), 0};
  if (cells_[buffer].data != nullptr)
    cells_[buffer].count = static_cast<std::uint64_t>(storage.buffer().shape[0]);
}

Core::Pause Core::run(std::int64_t steps, bool until_start) {
  if (is_free_) {
    CHECK(steps > 0);
    if (!machine_.begin_step()) return machine_.stopped() ? Pause::stopped : Pause::ready;
    machine_.take_point(*this);
    if (machine_.stopped()) return Pause::stopped;
    ++steps_;
    --steps;
  }
  for (;;) {
    const std::optional<Pause> pause =
        undefined_.tracks ? run_ops<true>(steps, until_start) : run_ops<false>(steps, until_start);
    if (pause) return *pause;
  }
}

// The loop goes on in the other form of run_ops(), from pc on; ops: done so far.
std::optional<Core::Pause> Core::change_loop(std::size_t pc, std::int64_t ops) {
  if (!machine_.pass(ops_of_a_change)) return rest(pc, ops);
  pc_ = pc;
  ops_ += ops;
  return std::nullopt;
}

// One function, so that the instruction and the registers stay in processor registers. tracks: some
// register is undefined.
template <bool tracks>
std::optional<Core::Pause> Core::run_ops(std::int64_t& steps, bool until_start) {
  using Next = Dispatch::Next;
  Dispatch at{*this, code_.instructions.data(), registers_.entries().data(),
              code_.instructions.data() + pc_};
  std::int64_t* const r = at.r;
  for (;; ++at.ops) {
    if constexpr (tracks) {
      undefined_.tracks = undefined_.count > 0;
      if (!undefined_.tracks) return change_loop(at.pc(), at.ops);
      if (!pass_undefined(*at.i, at.statement())) return rest(at.pc(), at.ops);
      at.stores_undefined = stores_undefined(at.statement());
    }
    Next next = Next::step;
    switch (at.i->code) {
#define SCALAR_OP(Struct, expression)                                                   \
  case op_index<Struct>(): {                                                            \
    [[maybe_unused]] const std::int64_t a = r[at.i->a], b = r[at.i->b], c = r[at.i->c]; \
    r[at.i->dst] = (expression);                                                        \
    ++at.i;                                                                             \
    continue;                                                                           \
  }
      TESSERA_SCALAR_OPS(SCALAR_OP)
      TESSERA_MACHINE_OPS(SCALAR_OP)
#undef SCALAR_OP
#define JUMP(name)                             \
  case static_cast<std::uint16_t>(Jump::name): \
    next = at.name();                          \
    break;
      TESSERA_JUMPS(JUMP)
#undef JUMP
#define CHECK_OP(Struct, name) \
  case op_index<Struct>():     \
    next = at.name();          \
    break;
      TESSERA_CHECKS(CHECK_OP)
#undef CHECK_OP
      default:
        break;
    }
    if (next == Next::op) continue;
    if (next == Next::step) {
      Dispatch copy = at;
      next = copy.step(steps, until_start);
      at.i = copy.i;
      at.pass_ends = copy.pass_ends;
      if (next != Next::rest && !tracks && undefined_.tracks)
        return change_loop(at.pc(), at.ops + 1);
    }
    if (next == Next::rest) return rest(at.pc(), at.ops);
    if (next == Next::uncounted) --at.ops;
  }
}

// Whether the op runs now; if not, the core rests before it.
bool Core::Dispatch::may_step(std::int64_t steps, bool is_step) const {
  const Op& op = core.stmt_->op;
  Machine& machine = core.machine_;
  // Copies that were started move before a pipeline is reported that is not run.
  const bool may_skip =
      machine.regions() != nullptr && i->code == op_index<Trace>() && pipeline_of(op);
  // A wait that blocks is no step, and a limit of steps ends none: the schedule of these steps
  // ends here as well.
  const bool is_last = steps == 0 && (is_step || may_skip);
  if (is_last || (is_step && machine.looks_before_step())) {
    const bool blocks = core.would_block();
    if (blocks) machine.block(core);
    if (is_last || blocks) return false;
  }
  return !is_step || machine.begin_step();
}

Core::Dispatch::Next Core::Dispatch::step(std::int64_t& steps, bool until_start) {
  Machine& machine = core.machine_;
  core.stmt_ = &machine.program().body[statement()];
  const Op& op = core.stmt_->op;
  const Kind kind = kind_of(i->code);
  const bool is_step = kind == Kind::step || kind == Kind::number;
  if (!may_step(steps, is_step)) return Next::rest;
  if (is_step) pass_ends = ops + longest_pass;
  const bool has_own_code = kind == Kind::cell || kind == Kind::number;
  const Step done = exec_table[has_own_code ? op.index() : i->code](op, core);
  if (kind == Kind::cell) core.find_cells(BufferId(i->aux));
  if (kind == Kind::number) core.find_numbers(BufferId(i->aux));
  if (done == Step::block) {
    machine.undo_step();
    machine.block(core);
    return Next::rest;
  }
  if (done == Step::skip) return go_to(i->c);
  if (!core.results_written_.empty()) core.check_written();
  if (is_step) ++core.steps_;  // also one that stops the run: its schedule ends with it
  if (machine.stopped()) return Next::rest;
  ++i;
  if (!is_step) return Next::op;
  const bool is_start = until_start && class_of(op) == OpClass::copy;
  steps = is_start && !is_at_once(machine.program(), op) ? 0 : steps - 1;
  return Next::op;
}

}  // namespace tessera
