#include "interp/signallers.h"

#include <algorithm>

#include "interp/describe.h"
#include "interp/scalar_ops.h"

namespace tessera {
namespace {

using Known = std::optional<std::int64_t>;

// What a statement signals: a slice of semaphores, on the device that a value names (no_value: its
// own).
struct Target {
  const Slice* sem;
  ValueId device = no_value;
};

std::vector<Target> targets(const Op& op) {
  if (const auto* o = std::get_if<Signal>(&op)) return {{&o->sem, o->device}};
  if (const auto* o = std::get_if<Start>(&op)) return {{&o->sem}};
  if (const auto* o = std::get_if<WriteBack>(&op)) return {{&o->sem}};
  if (const auto* o = std::get_if<StartRemote>(&op)) return {{&o->sent}, {&o->arrived, o->device}};
  return {};
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

// Reads the text from where one core stands.
class Text {
 public:
  Text(Machine& machine, const Core& core)
      : machine_(machine), program_(machine.program()), core_(core) {
    pc_ = core.is_finished() ? static_cast<std::int32_t>(program_.body.size()) : core.statement();
  }

  // The value whenever it is computed again, if it is always the same.
  Known settled(ValueId id) const {
    const Value& value = program_.value(id);
    if (value.constant) return value.integer;
    if (value.statement < 0) return std::nullopt;
    const Op& op = program_.body[static_cast<std::size_t>(value.statement)].op;
    if (std::holds_alternative<DeviceId>(op)) return core_.id().device;
    if (std::holds_alternative<DeviceCount>(op)) return machine_.devices();
    const bool is_loop = std::holds_alternative<For>(op);
    if (value.statement < pc_ && !is_loop && !in_loop(value.statement)) return core_.scalar(id);
    return is_scalar(op) ? computed(op) : std::nullopt;
  }

  // Whether control can still come to a statement.
  bool is_ahead(std::int32_t statement) const {
    if (core_.is_finished()) return false;
    if (statement > pc_) return true;
    for (const std::int32_t region : enclosing(program_, pc_)) {
      const Stmt& stmt = program_.body[static_cast<std::size_t>(region)];
      const auto* loop = std::get_if<For>(&stmt.op);
      if (loop == nullptr || region > statement) continue;
      // In another order than ascending the loop variable does not say how many points are left.
      if (loop->parallel != 0 || core_.scalar(stmt.result) + 1 < core_.scalar(loop->upper))
        return true;
    }
    return false;
  }

  // How often a statement runs in all: the product of the loops around it.
  Known trips(std::int32_t statement) const {
    std::int64_t product = 1;
    for (const std::int32_t region : enclosing(program_, statement)) {
      const Op& op = program_.body[static_cast<std::size_t>(region)].op;
      if (std::holds_alternative<If>(op)) return std::nullopt;
      const auto* loop = std::get_if<For>(&op);
      if (loop == nullptr) continue;
      const Known lower = settled(loop->lower), upper = settled(loop->upper);
      if (!lower || !upper) return std::nullopt;
      product *= std::max<std::int64_t>(*upper - *lower, 0);
    }
    return product;
  }

 private:
  bool in_loop(std::int32_t statement) const {
    const auto regions = enclosing(program_, statement);
    return std::any_of(regions.begin(), regions.end(), [&](std::int32_t region) {
      return std::holds_alternative<For>(program_.body[static_cast<std::size_t>(region)].op);
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
  const Core& core_;
  std::int32_t pc_;
};

// Whether the slice may name the cell, as far as its indices are settled.
bool may_name(const Text& text, const Program& program, const Slice& slice, std::int64_t cell) {
  const auto index = static_cast<std::size_t>(program.value(slice.base).index);
  const Shape& shape = program.semaphores[index].shape;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Known at =
        d < static_cast<std::size_t>(slice.rank) ? text.settled(slice.start[d]) : Known(0);
    if (at && *at != cell % shape[d]) return false;
    cell /= shape[d];
  }
  return true;
}

std::int64_t executed(const SemCell& cell, std::int32_t statement, std::int32_t device) {
  for (const Tally& tally : cell.tallies)
    if (!tally.is_wait && tally.statement == statement && tally.device == device)
      return tally.times;
  return 0;
}

}  // namespace

std::vector<Signaller> possible_signallers(Machine& machine, const SemId& sem) {
  const Program& program = machine.program();
  const Semaphores& owner = machine.device(sem.device).semaphores;
  std::vector<Signaller> found;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(program.body.size()); ++i) {
    for (const Target& target : targets(program.body[static_cast<std::size_t>(i)].op)) {
      const std::int32_t named = program.value(target.sem->base).index;
      if (owner.first(named) != owner.first(sem.semaphore)) continue;
      for (int d = 0; d < machine.devices(); ++d) {
        const Text text(machine, machine.device(d).core);
        const Known to = target.device == no_value ? Known(d) : text.settled(target.device);
        if ((to && *to != sem.device) || !may_name(text, program, *target.sem, sem.cell)) continue;
        found.push_back({i, d, executed(machine.cell(sem), i, d), text.trips(i), text.is_ahead(i)});
      }
    }
  }
  return found;
}

}  // namespace tessera
