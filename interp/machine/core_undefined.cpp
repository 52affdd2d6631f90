// Undefined scalars, which were read out of bounds. They may be used in arithmetic and stored. The
// run stops if one is a condition, a bound, a count, a device or an index.
#include <fmt/format.h>

#include <utility>

#include "core/program/refs.h"
#include "core/program/scalar.h"
#include "interp/findings/uninitialised.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

// Name of the field in a report: "the condition of `if`", "the place of t".
std::string used_as(const Program& program, const Op& op, const FieldInfo& f) {
  if (std::holds_alternative<Bounds>(op)) return "the place in a view";
  if (std::holds_alternative<For>(op)) return "a bound of `for`";
  if (std::holds_alternative<Proceed>(op)) return "the condition of `while`";
  if (f.kind != FieldKind::Slice) return fmt::format("the {} of `{}`", f.name, info(op).mnemonic);
  const Value& base = program.value(field<Slice>(op, f).base);
  return fmt::format("the place of {}", base.kind == ValueKind::sem
                                            ? program.semaphores[base.semaphore].name
                                            : program.buffers[base.buffer].name);
}

}  // namespace

void Core::note_undefined(ValueId value, StmtId by) {
  if (undefined_.by.size() == 0 && !by) return;
  if (undefined_.by.size() == 0) undefined_.by.resize(machine_.program().values.size());
  undefined_.count += (by ? 1 : 0) - (undefined_.by[value] ? 1 : 0);
  undefined_.by[value] = by;
}

void Core::undefined_result() {
  // An element inside the memory is undefined because of the read that produced the stored value.
  const Region at = peek(field<Slice>(stmt().op, info(stmt().op).fields[0]));
  const StmtId read = at.storage == nullptr ? statement()
                                            : outside_read(machine_.program(), machine_.findings(),
                                                           at.storage->origin(at.box.start).place);
  result(std::int64_t{0});
  note_undefined(stmt().result, read);
  undefined_.tracks = true;
}

void Core::store_undefined(const Region& at, ValueId value) {
  const Origin origin{machine_.program().place_of(undefined_.by[value]), stmt().place};
  at.storage->write(at.box);
  at.storage->initialise(at.box, BitPlane(at.box.elements()), origin);
}

TileView Core::undefined_element(StmtId read, DType dtype) {
  const PlaceId place = machine_.program().place_of(read);
  return undefined_elements_.try_emplace(read, place).first->second.view(dtype);
}

// Read that made the first undefined operand undefined; none if the op uses only defined operands.
StmtId Core::undefined_operand(const Op& op) const {
  if (const auto* select = std::get_if<Select>(&op); select && !is_undefined(select->condition)) {
    const ValueId chosen = scalar(select->condition) != 0 ? select->a : select->b;
    return undefined_.by[chosen];
  }
  for (const FieldInfo& f : info(op).fields)
    if (f.kind == FieldKind::Value && is_undefined(field<ValueId>(op, f)))
      return undefined_.by[field<ValueId>(op, f)];
  return {};
}

// True if one defined operand determines the result, for example 0 in a product.
bool Core::is_decided(const Op& op) const {
  const auto is = [&](ValueId a, ValueId b, auto&& decides) {
    return (!is_undefined(a) && decides(scalar(a))) || (!is_undefined(b) && decides(scalar(b)));
  };
  const auto is_zero = [](std::int64_t value) { return value == 0; };
  if (const auto* o = std::get_if<And>(&op)) return is(o->a, o->b, is_zero);
  if (const auto* o = std::get_if<Mul>(&op)) return is(o->a, o->b, is_zero);
  if (const auto* o = std::get_if<BitAnd>(&op)) return is(o->a, o->b, is_zero);
  if (const auto* o = std::get_if<Or>(&op))
    return is(o->a, o->b, [](std::int64_t value) { return value != 0; });
  if (const auto* o = std::get_if<BitOr>(&op))
    return is(o->a, o->b, [](std::int64_t value) { return value == -1; });
  return false;
}

// Stops the run and returns true if the op uses an undefined scalar as an index or for control.
bool Core::decides_by_undefined(const Op& op) {
  const Program& program = machine_.program();
  const auto stop = [&](const FieldInfo& f, ValueId value) {
    const StmtId at = program.body.id_of(*stmt_);
    machine_.stop(
        undefined_scalar_finding(program, used_as(program, op, f), undefined_.by[value], id_, at),
        id_, at);
    return true;
  };
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) {
      const ValueId value = field<ValueId>(op, f);
      if (f.control == Control::decides && is_undefined(value)) return stop(f, value);
    } else if (f.kind == FieldKind::Maybe) {
      const ValueId value = field<Maybe>(op, f).id;
      if (value != no_value && is_undefined(value)) return stop(f, value);
    } else if (f.kind == FieldKind::Slice) {
      const auto& slice = field<Slice>(op, f);
      for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d)
        for (const ValueId value : {slice.start[d], slice.size[d]})
          if (is_undefined(value)) return stop(f, value);
    }
  }
  return false;
}

// Records whether the result of the next instruction is undefined. Returns false if an undefined
// scalar is used for control or as an index: the run is stopped. Debug statements have their own
// rule (look()).
bool Core::pass_undefined(const Instruction& next, StmtId statement) {
  if (next.code == static_cast<std::uint16_t>(Jump::look)) return true;
  const Stmt& s = machine_.program().body[statement];
  const bool ends_loop = std::holds_alternative<End>(s.op);
  if (ends_loop || next.code == static_cast<std::uint16_t>(Jump::finish)) return true;
  const Stmt* const before = std::exchange(stmt_, &s);
  if (decides_by_undefined(s.op)) return false;
  stmt_ = before;
  const ResultKind result = info(s.op).result;
  if (result == ResultKind::Scalar || result == ResultKind::Real)
    note_undefined(s.result, is_decided(s.op) ? StmtId() : undefined_operand(s.op));
  return true;
}

bool Core::stores_undefined(StmtId statement) const {
  const auto* store = std::get_if<Store>(&machine_.program().body[statement].op);
  return store != nullptr && is_undefined(store->value);
}

}  // namespace tessera
