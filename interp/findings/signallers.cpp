#include "interp/findings/signallers.h"

#include <algorithm>
#include <utility>

#include "interp/findings/describe.h"
#include "interp/machine/scalar_ops.h"

namespace tessera {
namespace {

using Known = std::optional<std::int64_t>;

// Target of a signal: a slice of semaphores, on the given device and core (no_value: its own), and
// the count (no_value: the bytes of its copy).
struct Target {
  const Slice* sem;
  ValueId device = no_value;
  ValueId count = no_value;
  ValueId core = no_value;
};

std::vector<Target> targets(const Op& op) {
  if (const auto* o = std::get_if<Signal>(&op)) return {{&o->sem, o->device, o->count, o->core.id}};
  if (const auto* o = std::get_if<Start>(&op)) return {{&o->sem}};
  if (const auto* o = std::get_if<WriteBack>(&op)) return {{&o->sem}};
  if (const auto* o = std::get_if<StartRemote>(&op))
    return {{&o->sent}, {&o->arrived, o->device, no_value, o->core.id}};
  return {};
}

const Slice* waited_on(const Op& op) {
  if (const auto* o = std::get_if<Wait>(&op)) return &o->sem;
  if (const auto* o = std::get_if<Await>(&op)) return &o->sem;
  return nullptr;
}

std::int64_t evaluate(const Op& op, std::int64_t a, std::int64_t b, std::int64_t c) {
  switch (op.index()) {
#define SCALAR_OP(Struct, expression) \
  case op_index<Struct>():            \
    return (expression);
    TESSERA_SCALAR_OPS(SCALAR_OP)
#undef SCALAR_OP
    default:
      return 0;
  }
}

// Evaluates the program text from the current position of one core.
class Text {
 public:
  Text(Machine& machine, const Nesting& nesting, const Core& core)
      : machine_(machine), program_(machine.program()), nesting_(nesting), core_(core) {
    pc_ = core.is_finished() ? program_.body.next() : core.statement();
  }

  // The value of a scalar if it is the same whenever it is computed again.
  Known settled(ValueId id) const {
    const Value& value = program_.value(id);
    if (value.constant) return value.integer;
    if (!value.statement) return std::nullopt;
    const Op& op = program_.body[value.statement].op;
    if (std::holds_alternative<DeviceId>(op)) return core_.id().device;
    if (std::holds_alternative<DeviceCount>(op)) return machine_.topology().devices;
    if (std::holds_alternative<CoreId>(op)) return core_.id().core;
    if (std::holds_alternative<CoreCount>(op)) return machine_.topology().cores;
    const bool is_loop = is_loop_op(op);
    for (const auto& [variable, assumed] : assumed_)
      if (variable == id) return assumed;
    // Outside loops and branches, an op before the current position has run and does not run again.
    if (value.statement < pc_ && !is_loop && !is_conditional(value.statement))
      return core_.scalar(id);
    return is_scalar(op) ? computed(op) : std::nullopt;
  }

  // False if a condition around the statement prevents this core from executing it.
  bool can_run(StmtId statement) const {
    for (const StmtId region : nesting_.around(statement)) {
      const auto* branch = std::get_if<If>(&stmt(region).op);
      if (branch == nullptr) continue;
      const Known condition = settled(branch->condition);
      if (condition && (*condition != 0) == is_in_else(region, statement)) return false;
    }
    return true;
  }

  // True if control can still reach a statement that can run, in a loop iteration in which does()
  // is true, as far as the values are settled.
  template <typename Does>
  bool is_ahead(StmtId statement, const Does& does) const {
    if (core_.is_finished()) return false;
    bool is_other_branch = false;
    std::vector<StmtId> loops;  // around the core, innermost first
    for (const StmtId region : nesting_.around(pc_)) {
      if (is_loop_op(stmt(region).op)) loops.push_back(region);
      if (region < statement && statement < end_of(region) &&
          std::holds_alternative<If>(stmt(region).op))
        is_other_branch =
            is_other_branch || is_in_else(region, statement) != is_in_else(region, pc_);
    }
    if (statement > pc_ && !is_other_branch && can_run_at(statement, loops, does)) return true;
    while (!loops.empty()) {
      const StmtId region = loops.front();
      loops.erase(loops.begin());
      if (region < statement && statement < end_of(region) &&
          comes_again(statement, region, loops, does))
        return true;
    }
    return false;
  }

  // Total number of executions of a statement: the product of the trip counts around it.
  Known trips(StmtId statement) const {
    std::int64_t product = 1;
    for (const StmtId region : nesting_.around(statement)) {
      const Op& op = stmt(region).op;
      if (const auto* branch = std::get_if<If>(&op);
          branch != nullptr && !settled(branch->condition))
        return std::nullopt;
      if (std::holds_alternative<While>(op)) return std::nullopt;
      const auto* loop = std::get_if<For>(&op);
      if (loop == nullptr) continue;
      const Known lower = settled(loop->lower), upper = settled(loop->upper);
      if (!lower || !upper) return std::nullopt;
      product *= std::max<std::int64_t>(*upper - *lower, 0);
    }
    return product;
  }

 private:
  // True if the core executes all iterations of the loop. Iterations that no loop worker has
  // started are ahead of the core that distributes them.
  bool is_own_loop(StmtId region) const {
    if (!core_.is_loop_worker()) return true;
    return region > machine_.core_state(machine_.topology().base(core_.index())).core.dealt_loop();
  }

  static constexpr std::int64_t max_points = 256;  // evaluated individually, per loop

  // With the current values of the loop variables.
  template <typename Does>
  bool can_run_at(StmtId statement, const std::vector<StmtId>& loops, const Does& does) const {
    assumed_.clear();
    for (const StmtId loop : loops)
      assumed_.emplace_back(stmt(loop).result, core_.scalar(stmt(loop).result));
    const bool can = can_run(statement) && does();
    assumed_.clear();
    return can;
  }

  // In a later iteration of a loop, with the current values of the outer loop variables.
  template <typename Does>
  bool comes_again(StmtId statement, StmtId region, const std::vector<StmtId>& outer,
                   const Does& does) const {
    if (std::holds_alternative<While>(stmt(region).op)) return true;  // unknown trip count
    const auto& loop = std::get<For>(stmt(region).op);
    // If the order is not ascending, the loop variable does not give the number of remaining
    // iterations.
    if (loop.parallel != 0) return is_own_loop(region);
    const std::int64_t now = core_.scalar(stmt(region).result), upper = core_.scalar(loop.upper);
    if (upper - now > max_points) return true;
    bool can = false;
    for (std::int64_t point = now + 1; point < upper && !can; ++point) {
      assumed_ = {{stmt(region).result, point}};
      for (const StmtId around : outer)
        assumed_.emplace_back(stmt(around).result, core_.scalar(stmt(around).result));
      can = can_run(statement) && does();
    }
    assumed_.clear();
    return can;
  }

  static bool is_loop_op(const Op& op) {
    return std::holds_alternative<For>(op) || std::holds_alternative<While>(op);
  }
  const Stmt& stmt(StmtId statement) const { return program_.body[statement]; }
  StmtId end_of(StmtId region) const {
    const StmtId partner = stmt(region).partner;
    return std::holds_alternative<Else>(stmt(partner).op) ? stmt(partner).partner : partner;
  }
  bool is_in_else(StmtId branch, StmtId statement) const {
    const StmtId partner = stmt(branch).partner;
    return std::holds_alternative<Else>(stmt(partner).op) && statement > partner;
  }
  bool is_conditional(StmtId statement) const {
    const auto regions = nesting_.around(statement);
    return std::any_of(regions.begin(), regions.end(), [&](StmtId region) {
      return !std::holds_alternative<Trace>(stmt(region).op);
    });
  }
  static bool is_scalar(const Op& op) {
    return std::visit([]<typename T>(const T&) { return is_scalar_op<T>; }, op);
  }
  Known computed(const Op& op) const {
    std::int64_t operands[3] = {};
    std::size_t n = 0;
    for (const FieldInfo& f : info(op).fields) {
      const Known operand = settled(field<ValueId>(op, f));
      if (!operand) return std::nullopt;
      operands[n++] = *operand;
    }
    return evaluate(op, operands[0], operands[1], operands[2]);
  }

  Machine& machine_;
  const Program& program_;
  const Nesting& nesting_;
  const Core& core_;
  StmtId pc_;
  mutable std::vector<std::pair<ValueId, std::int64_t>> assumed_;  // values of loop variables
};

// True if the slice contains the cell; `unsettled` if an index is not settled.
bool may_name(const Text& text, const Program& program, const Slice& slice, std::int64_t cell,
              bool unsettled = true) {
  const Shape& shape = program.semaphores[program.value(slice.base).semaphore].shape;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Known at =
        d < static_cast<std::size_t>(slice.rank) ? text.settled(slice.start[d]) : Known(0);
    if (at ? *at != cell % shape[d] : !unsettled) return false;
    cell /= shape[d];
  }
  return true;
}

std::int64_t executed(const SemCell& cell, StmtId statement, CoreIndex core_index) {
  for (const Tally& tally : cell.tallies)
    if (!tally.is_wait && tally.statement == statement && tally.core == core_index)
      return tally.times;
  return 0;
}

}  // namespace

Signallers::Signallers(Machine& machine) : machine_(machine), nesting_(machine.program()) {
  const Table<StmtId, Stmt>& body = machine.program().body;
  for (const StmtId i : body.ids())
    if (!targets(body[i].op).empty()) statements_.push_back(i);
}

bool Signallers::may_take(const SemId& sem) const {
  const Program& program = machine_.program();
  const CoreState& owner = machine_.core_state(sem.core);
  const Text text(machine_, nesting_, owner.core);
  for (const StmtId i : program.body.ids()) {
    const Slice* slice = waited_on(program.body[i].op);
    if (slice == nullptr) continue;
    const SemaphoreId named = program.value(slice->base).semaphore;
    if (owner.semaphores.first(named) == owner.semaphores.first(sem.semaphore) &&
        text.is_ahead(i, [&] { return may_name(text, program, *slice, sem.cell); }))
      return true;
  }
  return false;
}

std::vector<Signaller> Signallers::of(const SemId& sem) const {
  const Program& program = machine_.program();
  const Semaphores& owner = machine_.core_state(sem.core).semaphores;
  const Topology& topology = machine_.topology();
  std::vector<Signaller> found;
  for (const StmtId i : statements_) {
    for (const Target& target : targets(program.body[i].op)) {
      const SemaphoreId named = program.value(target.sem->base).semaphore;
      if (owner.first(named) != owner.first(sem.semaphore)) continue;
      for (const CoreIndex s : machine_.at_work()) {
        if (topology.is_loop_worker(sem.core) && s != sem.core) continue;
        const Text text(machine_, nesting_, machine_.core_state(s).core);
        const auto may_signal = [&](bool unsettled = true) {
          const auto may_be = [&](ValueId named, std::int32_t own, std::int32_t wanted) {
            const Known to = named == no_value ? Known(own) : text.settled(named);
            return to ? *to == wanted : unsettled;
          };
          const Known count = target.count == no_value ? std::nullopt : text.settled(target.count);
          return may_be(target.device, topology.device(s), topology.device(sem.core)) &&
                 may_be(target.core, topology.core(s), topology.core(sem.core)) &&
                 (!count || *count != 0) &&
                 may_name(text, program, *target.sem, sem.cell, unsettled);
        };
        if (!text.can_run(i) || !may_signal()) continue;
        found.push_back({i, s, executed(machine_.cell(sem), i, s), text.trips(i),
                         text.is_ahead(i, may_signal),
                         text.is_ahead(i, [&] { return may_signal(false); })});
      }
    }
  }
  return found;
}

}  // namespace tessera
