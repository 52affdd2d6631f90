#include "interp/machine/planning_memory.h"

#include <algorithm>

#include "core/program/refs.h"

namespace tessera {
namespace {

class PlanningMemory {
 public:
  PlanningMemory(const Program& program, const Table<StmtId, bool>& reads_control)
      : program_(program), reads_control_(reads_control), own_(private_buffers(program)) {}

  Table<BufferId, bool> find() {
    for (const Buffer& b : program_.buffers)
      found_.add(b.role == Role::scratch && b.space == Space::smem);
    for (const BufferId b : own_.ids()) found_[b] = found_[b] || own_[b];
    for (bool changes = true; changes;) {
      changes = false;
      for (const StmtId s : program_.body.ids())
        for (const FieldInfo& f : info(program_.body[s].op).fields) {
          if (f.kind != FieldKind::Slice) continue;
          const Slice& slice = field<Slice>(program_.body[s].op, f);
          if (!is_found(slice)) continue;
          const BufferId buffer = program_.value(slice.base).buffer;
          if (own_[buffer] || !makes_data(s, slice)) continue;
          found_[buffer] = false;
          changes = true;
        }
    }
    return std::move(found_);
  }

 private:
  bool is_found(const Slice& slice) const {
    return program_.buffer(slice.base) != nullptr && found_[program_.value(slice.base).buffer];
  }

  // True if a statement that accesses such memory uses it as data.
  bool makes_data(StmtId statement, const Slice& slice) const {
    const Op& op = program_.body[statement].op;
    const OpClass family = class_of(op);
    if (family == OpClass::debug || std::holds_alternative<Alloc>(op) ||
        std::holds_alternative<Free>(op))
      return false;
    if (family != OpClass::cells || std::holds_alternative<LoadReal>(op)) return true;
    const Slice* const dst = written_slice(op);
    if (dst == nullptr) return !reads_control_[statement];
    return &slice != dst && !is_found(*dst);
  }

  const Program& program_;
  const Table<StmtId, bool>& reads_control_;
  const Table<BufferId, bool> own_;
  Table<BufferId, bool> found_;
};

}  // namespace

Table<BufferId, bool> stored_by_points(const Program& program) {
  Table<BufferId, bool> stored(program.buffers.size(), false);
  StmtId end(0);
  for (const StmtId i : program.body.ids()) {
    const Stmt& s = program.body[i];
    const auto* loop = std::get_if<For>(&s.op);
    if (loop != nullptr && loop->parallel != 0) end = std::max(end, s.partner);
    const Slice* const to = i < end ? written_slice(s.op) : nullptr;
    if (to == nullptr || program.value(to->base).kind != ValueKind::ref) continue;
    if (const BufferId b = program.value(to->base).buffer) stored[b] = true;
  }
  return stored;
}

Table<BufferId, bool> private_buffers(const Program& program) {
  Table<BufferId, bool> result;
  for (const Buffer& b : program.buffers)
    result.add(b.role == Role::scratch && b.space == Space::smem && b.dtype == DType::i64 &&
               b.shape.size() == 1);
  for (const Stmt& s : program.body) {
    const std::size_t op = s.op.index();
    if (op == op_index<Load>() || op == op_index<Store>() || op == op_index<PrefixSum>() ||
        op == op_index<SearchRight>() || op == op_index<Iota>() || op == op_index<Repeat>() ||
        op == op_index<Alloc>() || op == op_index<Free>() || class_of(op) == OpClass::debug)
      continue;
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const Value& base = program.value(field<Slice>(s.op, f).base);
      if (base.kind == ValueKind::ref && base.buffer) result[base.buffer] = false;
    }
  }
  return result;
}

Table<BufferId, bool> planning_memory(const Program& program,
                                      const Table<StmtId, bool>& reads_control) {
  return PlanningMemory(program, reads_control).find();
}

}  // namespace tessera
