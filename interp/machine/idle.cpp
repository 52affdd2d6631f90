#include "interp/machine/idle.h"

#include <cstdint>
#include <variant>
#include <vector>

#include "interp/findings/capacity.h"

namespace tessera {
namespace {

// Use of a float operand in a run without arithmetic.
enum class Use : std::uint8_t { none, zeros, looked_at };

template <typename... Ops>
bool is_any(const Op& op) {
  return (std::holds_alternative<Ops>(op) || ...);
}

bool is_copy(const Op& op) { return is_any<Start, StartRemote, WriteBack>(op); }

// Use by an op that is not a copy. Unknown ops count as looked_at.
Use use_of(const Op& op, const FieldInfo& operand) {
  if (is_any<Pad>(op)) return Use::zeros;
  // The op reports undefined elements although nothing is computed.
  if (operand.control == Control::chooses) return Use::looked_at;
  if (class_of(op) == OpClass::debug) return Use::none;  // it shows that the value is not computed
  const bool is_left_alone = is_any<Alloc, Free, Fresh, Once>(op) || info(op).math != LeftOut::none;
  return is_left_alone ? Use::none : Use::looked_at;
}

class IdleBuffers {
 public:
  explicit IdleBuffers(const Program& program)
      : program_(program),
        holds_(program.buffers.size()),
        looked_at_(program.buffers.size()),
        leads_out_(program.buffers.size()) {}

  // results: true if results are used.
  Table<BufferId, bool> run(bool results) {
    for (const BufferId b : program_.buffers.ids()) {
      holds_[b] = program_.buffers[b].role == Role::in;
      leads_out_[b] = program_.buffers[b].role == Role::out;
    }
    for (const Stmt& statement : program_.body) note(statement.op);
    for (grew_ = true; grew_;) {
      grew_ = false;
      for (const Edge& copy : copies_) {
        flow(holds_, copy.src, copy.dst);
        flow(looked_at_, copy.dst, copy.src);
        flow(leads_out_, copy.dst, copy.src);
      }
    }
    Table<BufferId, bool> idle;
    for (const BufferId b : program_.buffers.ids()) {
      const Buffer& buffer = program_.buffers[b];
      const bool shows = buffer.role == Role::out || (holds_[b] && leads_out_[b]);
      idle.add(is_float(buffer.dtype) && !looked_at_[b] && !(results && shows));
    }
    return idle;
  }

 private:
  struct Edge {
    BufferId src, dst;
  };

  // Buffer of a slice; none for numbers and semaphores.
  BufferId buffer_of(const Slice& slice) const {
    const Value& base = program_.value(slice.base);
    return base.kind == ValueKind::ref ? base.buffer : BufferId();
  }

  void note(const Op& op) {
    std::vector<BufferId> copied;
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const BufferId buffer = buffer_of(field<Slice>(op, f));
      if (!buffer) continue;
      if (is_copy(op)) {
        copied.push_back(buffer);
        continue;
      }
      const Use use = use_of(op, f);
      if (use == Use::zeros) holds_[buffer] = true;
      if (use == Use::looked_at) looked_at_[buffer] = true;
    }
    if (copied.size() == 2) copies_.push_back({copied[0], copied[1]});
  }

  void flow(Table<BufferId, bool>& property, BufferId from, BufferId to) {
    if (!property[from] || property[to]) return;
    property[to] = true;
    grew_ = true;
  }

  const Program& program_;
  Table<BufferId, bool> holds_;      // contains operands or zeros
  Table<BufferId, bool> looked_at_;  // an op reads the values, directly or after copies
  Table<BufferId, bool> leads_out_;  // is a result, or is copied to one
  std::vector<Edge> copies_;
  bool grew_ = false;
};

}  // namespace

Table<BufferId, bool> idle_buffers(const Program& expanded, const RunOptions& options) {
  // No op runs: only the launch is checked, or the machine rejects it.
  if (options.max_steps == 0 || launch_excess(expanded, options.machine.profile))
    return Table<BufferId, bool>(expanded.buffers.size(), true);
  const bool shows_poison =
      options.checks.uninitialised == Uninitialised::poison && options.computes_values;
  if (options.math != Math::none || options.record.results || shows_poison)
    return Table<BufferId, bool>(expanded.buffers.size());
  return IdleBuffers(expanded).run(options.computes_values);
}

}  // namespace tessera
