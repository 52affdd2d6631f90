#include "interp/machine/point_sharing.h"

#include <algorithm>
#include <variant>

#include "interp/machine/scalar_ops.h"

namespace tessera {
namespace {

// True if the time of the op's execution cannot be observed.
bool is_scalar_only(const Op& op) {
  return std::visit(
      []<typename T>(const T&) {
        return is_scalar_op<T> || std::is_same_v<T, Nothing> || std::is_same_v<T, ToReal> ||
               std::is_same_v<T, DeviceId> || std::is_same_v<T, DeviceCount> ||
               std::is_same_v<T, CoreId> || std::is_same_v<T, CoreCount> ||
               class_of(op_index<T>()) == OpClass::debug;
      },
      op);
}

bool are_scalars(const Program& program, StmtId from, StmtId to) {
  return std::all_of(program.body.begin() + from.index, program.body.begin() + to.index,
                     [](const Stmt& s) { return is_scalar_only(s.op); });
}

bool is_own_device(const Program& program, ValueId device) {
  const StmtId statement = program.value(device).statement;
  return statement && std::holds_alternative<DeviceId>(program.body[statement].op);
}

// The parallel loop inside `loop` with only scalar ops around it; none if there is none.
StmtId nested_directly(const Program& program, StmtId loop) {
  StmtId inner = loop + 1;
  const StmtId end = program.body[loop].partner;
  while (inner < end && is_scalar_only(program.body[inner].op)) ++inner;
  if (inner == end || !is_parallel_for(program.body[inner])) return StmtId();
  return are_scalars(program, program.body[inner].partner + 1, end) ? inner : StmtId();
}

}  // namespace

PointSharing::PointSharing(const Program& program)
    : buffers(program.buffers.size()),
      semaphores(program.semaphores.size()),
      landed_in(program.buffers.size()),
      counted_on(program.semaphores.size()) {
  for (const BufferId b : buffers.ids())
    buffers[b] = program.buffers[b].space == Space::hbm || program.buffers[b].role != Role::scratch;
  for (const SemaphoreId s : semaphores.ids())
    semaphores[s] = program.semaphores[s].kind == SemKind::barrier;
  for (const Stmt& s : program.body) {
    if (const auto* signal = std::get_if<Signal>(&s.op);
        signal != nullptr && !is_own_device(program, signal->device))
      counted_on[program.value(signal->sem.base).semaphore] = true;
    const auto* remote = std::get_if<StartRemote>(&s.op);
    if (remote == nullptr) continue;
    const Value& to = program.value(remote->dst.base);
    if (to.kind == ValueKind::ref && to.buffer) buffers[to.buffer] = landed_in[to.buffer] = true;
    counted_on[program.value(remote->arrived.base).semaphore] = true;
  }
}

Table<StmtId, bool> dealt_loops(const Program& program) {
  Table<StmtId, bool> result(program.body.size());
  for (StmtId i(0); i < program.body.next(); ++i) {
    if (!is_parallel_for(program.body[i])) continue;
    StmtId loop = i;
    for (StmtId inner = i; inner; inner = nested_directly(program, inner)) loop = inner;
    result[loop] = true;
    i = program.body[i].partner;
  }
  return result;
}

LoopObjects::LoopObjects(const Program& program, StmtId loop)
    : buffers(program.buffers.size()),
      semaphores(program.semaphores.size()),
      makes_buffer(program.buffers.size()),
      makes_semaphore(program.semaphores.size()) {
  for (StmtId i = loop; i < program.body[loop].partner; ++i) {
    const Op& op = program.body[i].op;
    const bool makes = std::holds_alternative<Alloc>(op);
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const Slice& slice = field<Slice>(op, f);
      if (slice.base == no_value) continue;
      const Value& base = program.value(slice.base);
      if (base.kind == ValueKind::ref && base.buffer) {
        buffers[base.buffer] = true;
        if (makes) makes_buffer[base.buffer] = true;
      } else if (base.kind == ValueKind::sem) {
        semaphores[base.semaphore] = true;
        if (makes) makes_semaphore[base.semaphore] = true;
      }
    }
  }
}

}  // namespace tessera
