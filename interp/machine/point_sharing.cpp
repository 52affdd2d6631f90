#include "interp/machine/point_sharing.h"

#include <algorithm>
#include <variant>

#include "interp/machine/scalar_ops.h"

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

bool is_parallel(const Stmt& s) {
  const auto* loop = std::get_if<For>(&s.op);
  return loop != nullptr && loop->parallel != 0;
}

// Nobody can see when it is done.
bool is_scalar_only(const Op& op) {
  return std::visit(
      []<typename T>(const T&) {
        return is_scalar_op<T> || std::is_same_v<T, Nothing> || std::is_same_v<T, ToReal> ||
               std::is_same_v<T, DeviceId> || std::is_same_v<T, DeviceCount> ||
               std::is_same_v<T, CoreId> || std::is_same_v<T, CoreCount>;
      },
      op);
}

bool are_scalars(const Program& program, std::int32_t from, std::int32_t to) {
  return std::all_of(program.body.begin() + from, program.body.begin() + to,
                     [](const Stmt& s) { return is_scalar_only(s.op); });
}

bool is_own_device(const Program& program, ValueId device) {
  const std::int32_t statement = program.value(device).statement;
  return statement >= 0 && std::holds_alternative<DeviceId>(program.body[at(statement)].op);
}

// The parallel loop inside that has nothing but scalars around it, or -1.
std::int32_t nested_directly(const Program& program, std::int32_t loop) {
  std::int32_t inner = loop + 1;
  const std::int32_t end = program.body[at(loop)].partner;
  while (inner < end && is_scalar_only(program.body[at(inner)].op)) ++inner;
  if (inner == end || !is_parallel(program.body[at(inner)])) return -1;
  return are_scalars(program, program.body[at(inner)].partner + 1, end) ? inner : -1;
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

std::vector<bool> dealt_loops(const Program& program) {
  std::vector<bool> result(program.body.size());
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(program.body.size()); ++i) {
    if (!is_parallel(program.body[at(i)])) continue;
    std::int32_t loop = i;
    for (std::int32_t inner = i; inner >= 0; inner = nested_directly(program, inner)) loop = inner;
    result[at(loop)] = true;
    i = program.body[at(i)].partner;
  }
  return result;
}

LoopObjects::LoopObjects(const Program& program, std::int32_t loop)
    : buffers(program.buffers.size()),
      semaphores(program.semaphores.size()),
      makes_buffer(program.buffers.size()),
      makes_semaphore(program.semaphores.size()) {
  for (std::int32_t i = loop; i < program.body[at(loop)].partner; ++i) {
    const Op& op = program.body[at(i)].op;
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
