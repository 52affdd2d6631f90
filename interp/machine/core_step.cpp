// Ops with an exec(); most of them are steps.
#include "core/passes/at_once.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

// Accounting of an op with an exec().
enum class Kind : std::uint8_t {
  step,
  region,  // begin or end of a trace region: not a step
  cell,    // access to a private cell that cannot be done in place: not a step
  number   // access to an untraced scalar that cannot be done in place
};

Kind kind_of(std::uint16_t code) {
  if (code >= static_cast<std::uint16_t>(Jump::load_cell)) return Kind::cell;
  if (code == static_cast<std::uint16_t>(Jump::load_number) ||
      code == static_cast<std::uint16_t>(Jump::store_number))
    return Kind::number;
  return code == op_index<Trace>() || code == op_index<End>() ? Kind::region : Kind::step;
}

}  // namespace

// Private scalars are accessed in place once all of them are defined. Before that, and out of
// bounds, the op's exec() accesses them.
void Core::find_cells(BufferId buffer) {
  Storage& storage = *machine_.core_state(index_).storages[buffer];
  cells_[buffer] = {storage.cells(), 0};
  if (cells_[buffer].data != nullptr)
    cells_[buffer].count = static_cast<std::uint64_t>(storage.buffer().shape[0]);
}

// True if the op runs now; otherwise the core pauses before it.
bool Core::may_step(std::int64_t steps, bool is_step) {
  const Op& op = stmt_->op;
  // The core pauses, so that copies in flight move before a pipeline that may be reported without
  // running.
  const bool may_skip =
      machine_.regions() != nullptr && std::holds_alternative<Trace>(op) && pipeline_of(op);
  // A wait that blocks is not a step, so the core becomes blocked here even if no steps are left.
  const bool is_last = steps == 0 && (is_step || may_skip);
  if (is_last || (is_step && machine_.looks_before_step())) {
    const bool blocks = would_block();
    if (blocks) machine_.block(*this);
    if (is_last || blocks) return false;
  }
  return !is_step || machine_.begin_step();
}

Core::Next Core::step(const Instruction*& i, std::int64_t& steps, bool until_start) {
  const auto pc = static_cast<std::size_t>(i - code_.instructions.data());
  stmt_ = &machine_.program().body[code_.statement[pc]];
  const Op& op = stmt_->op;
  const Kind kind = kind_of(i->code);
  const bool is_step = kind == Kind::step || kind == Kind::number;
  if (!may_step(steps, is_step)) return Next::rest;
  const bool has_own_code = kind == Kind::cell || kind == Kind::number;
  const Step done = exec_table[has_own_code ? op.index() : i->code](op, *this);
  if (kind == Kind::cell) find_cells(BufferId(i->aux));
  if (kind == Kind::number) find_numbers(BufferId(i->aux));
  if (done == Step::block) {
    machine_.undo_step();
    machine_.block(*this);
    return Next::rest;
  }
  if (done == Step::skip) {
    i = code_.instructions.data() + i->c;
    return Next::op;
  }
  if (!results_written_.empty()) check_written();
  if (is_step) ++steps_;  // also if it stops the run: its schedule ends with it
  if (machine_.stopped()) return Next::rest;
  ++i;
  if (!is_step) return Next::op;
  const bool is_start = until_start && class_of(op) == OpClass::copy;
  steps = is_start && !is_at_once(machine_.program(), op) ? 0 : steps - 1;
  return Next::step;
}

}  // namespace tessera
