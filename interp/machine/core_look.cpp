// Debug statements. Their ops are not steps, and undefined memory makes their values undefined.
#include <algorithm>
#include <optional>
#include <vector>

#include "core/program/scalar.h"
#include "interp/machine/machine.h"
#include "interp/machine/scalar_ops.h"

namespace tessera {
namespace {

// Result of an op on defined numbers; none for other ops.
std::optional<std::int64_t> number_of(const Core& core, const Op& op, const Topology& topology) {
  std::int64_t operands[3] = {};
  std::size_t n = 0;
  for (const FieldInfo& f : info(op).fields)
    if (f.kind == FieldKind::Value && n < 3) operands[n++] = core.scalar(field<ValueId>(op, f));
  [[maybe_unused]] const std::int64_t a = operands[0], b = operands[1], c = operands[2];
  switch (op.index()) {
#define SCALAR_OP(Struct, expression) \
  case op_index<Struct>():            \
    return (expression);
    TESSERA_SCALAR_OPS(SCALAR_OP)
#undef SCALAR_OP
    case op_index<Limit>():
      return a;
    case op_index<DeviceId>():
      return core.id().device;
    case op_index<DeviceCount>():
      return topology.devices;
    case op_index<CoreId>():
      return core.id().core;
    case op_index<CoreCount>():
      return topology.cores;
    case op_index<ToReal>():
      return to_register(static_cast<float>(a));
    default:
      return std::nullopt;
  }
}

bool has_undefined(const Core& core, const Op& op) {
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value && core.is_undefined(field<ValueId>(op, f))) return true;
    if (f.kind != FieldKind::Slice) continue;
    const auto& slice = field<Slice>(op, f);
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d)
      if (core.is_undefined(slice.start[d]) || core.is_undefined(slice.size[d])) return true;
  }
  return false;
}

// Result of a read of scalar memory; none if it is undefined or outside the memory.
std::optional<std::int64_t> read_by(Core& core, const Op& op) {
  const Slice& slice = field<Slice>(op, info(op).fields[0]);
  const Region at = core.peek(slice);
  if (at.storage == nullptr || !at.storage->is_initialised(at.box)) return std::nullopt;
  if (std::holds_alternative<LoadReal>(op)) return to_register(at.storage->load_real(at.box));
  if (std::holds_alternative<Load>(op)) return at.storage->load_integer(at.box);
  const auto* search = std::get_if<SearchRight>(&op);
  if (search == nullptr) return std::nullopt;
  const TileView view = at.storage->read(at.box);
  std::int64_t count = 0;
  while (count < view.elements() && view.integer_at(count) <= core.scalar(search->a)) ++count;
  return count;
}

}  // namespace

Region Core::peek(const Slice& slice) {
  const BufferId buffer = machine_.program().value(slice.base).buffer;
  const CoreIndex core_index = machine_.owner(index_, buffer);
  Storage* storage = machine_.core_state(core_index).storages[buffer].get();
  Region region{.core = core_index, .buffer = buffer, .box = box(slice)};
  if (storage->outside(region.box) < 0 && storage->is_live() && !storage->is_idle())
    region.storage = storage;
  return region;
}

std::optional<std::int64_t> Core::peek_cell(const Slice& slice) {
  const Program& program = machine_.program();
  const Shape& shape = program.semaphores[program.value(slice.base).semaphore].shape;
  std::int64_t cell = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t index = scalar(slice.start[d]);
    if (index < 0 || index >= shape[d]) return std::nullopt;
    cell = cell * shape[d] + index;
  }
  return cell;
}

std::optional<std::int64_t> Core::peek_count(const Slice& slice) {
  const std::optional<std::int64_t> cell = peek_cell(slice);
  if (!cell) return std::nullopt;
  const SemaphoreId semaphore = machine_.program().value(slice.base).semaphore;
  if (!machine_.core_state(machine_.lifetime_core(index_, semaphore)).semaphores.is_live(semaphore))
    return std::nullopt;
  return machine_.cell(machine_.counted({index_, semaphore, *cell})).count;
}

// An undefined value counts as 0. A loop with such a bound has no iteration; is_known_to_run() in
// interp/exec/debug.cpp suppresses output in the `else` of such a branch.
void Core::look(StmtId statement) {
  if (machine_.options().debug_sink == nullptr) return;
  stmt_ = &machine_.program().body[statement];
  const Op& op = stmt_->op;
  if (class_of(op) == OpClass::debug) {
    exec_table[op.index()](op, *this);
    return;
  }
  std::optional<std::int64_t> value;
  if (!has_undefined(*this, op)) {
    value = number_of(*this, op, machine_.topology());
    const auto* count = std::get_if<ReadSem>(&op);
    if (count != nullptr) value = peek_count(count->sem);
    if (!value && count == nullptr) value = read_by(*this, op);
  }
  note_undefined(stmt_->result, value ? StmtId() : statement);
  registers_[stmt_->result] = value.value_or(0);
}

// An assertion reads memory like a branch: the elements must be defined, and races with the read
// count. Only observers of all schedules (observes_assertions()) receive the read. It belongs to
// the step before it.
bool Core::ask(StmtId statement) {
  stmt_ = &machine_.program().body[statement];
  is_asking_ = true;
  exec_table[stmt_->op.index()](stmt_->op, *this);
  is_asking_ = false;
  return !stopped();
}

void Core::tell_asked(Event& event) {
  event.index = events_;
  event.agent_step = std::max<std::int64_t>(steps_ - 1, 0);
  machine_.emit_asked(event);
}

}  // namespace tessera
