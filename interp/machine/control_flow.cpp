#include "interp/machine/control_flow.h"

#include <algorithm>
#include <variant>

#include "core/passes/purpose.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

bool defines_scalar(const Op& op) {
  const ResultKind kind = info(op).result;
  return kind == ResultKind::Scalar || kind == ResultKind::Real;
}

// Follows values and memory backwards from uses in control, until nothing is added.
class Backwards {
 public:
  Backwards(const Program& program, const std::vector<StmtId>& choices)
      : program_(program),
        choices_(choices),
        purpose_(purposes(program)),
        values_(program.values.size()),
        flow_{Table<StmtId, bool>(program.body.size()),
              Table<BufferId, bool>(program.buffers.size())} {}

  ControlFlow run() {
    for (const StmtId i : program_.body.ids()) begin(i);
    for (grew_ = true; grew_;) {
      grew_ = false;
      for (StmtId i = program_.body.last(); i; --i) step(i);
    }
    return std::move(flow_);
  }

 private:
  // Adds the uses in control: the bounds of every slice, and the fields that ops.def marks.
  void begin(StmtId i) {
    if (purpose_[i] == Purpose::show) return;
    const Op& op = program_.body[i].op;
    const bool is_open = std::binary_search(choices_.begin(), choices_.end(), i);
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind == FieldKind::Slice) add_indices(field<Slice>(op, f));
      if (!is_control(program_, op, f, is_open)) continue;
      if (f.kind == FieldKind::Value) add(field<ValueId>(op, f));
      if (f.kind == FieldKind::Maybe) add(field<Maybe>(op, f).id);
      if (f.kind == FieldKind::Slice) add_contents(i, field<Slice>(op, f));
    }
  }
  void add(ValueId id) {
    if (id == no_value || values_[id]) return;
    values_[id] = true;
    grew_ = true;
  }
  void add_indices(const Slice& slice) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      add(slice.start[d]);
      add(slice.size[d]);
    }
  }
  void add_contents(StmtId statement, const Slice& slice) {
    if (is_number(program_, slice)) add(slice.base);
    const Value& from = base(slice);
    if (from.kind != ValueKind::ref || !from.buffer) return;
    flow_.reads[statement] = true;
    if (!flow_.buffers[from.buffer]) grew_ = true;
    flow_.buffers[from.buffer] = true;
  }
  const Value& base(const Slice& slice) const { return program_.value(slice.base); }
  bool is_wanted(const Slice& dst) const {
    const Value& to = base(dst);
    return to.kind == ValueKind::ref && to.buffer && flow_.buffers[to.buffer];
  }

  // If the result of the statement reaches control, adds its operands.
  void step(StmtId i) {
    const Stmt& s = program_.body[i];
    const Slice* dst = written_slice(s.op);
    if (const auto* remote = std::get_if<StartRemote>(&s.op)) dst = &remote->dst;
    if (const auto* back = std::get_if<WriteBack>(&s.op)) dst = &back->dst;
    const bool is_value = s.result != no_value && defines_scalar(s.op) && values_[s.result];
    if (!is_value && (dst == nullptr || !is_wanted(*dst))) return;
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind == FieldKind::Value) add(field<ValueId>(s.op, f));
      if (f.kind == FieldKind::Slice && &field<Slice>(s.op, f) != dst)
        add_contents(i, field<Slice>(s.op, f));
    }
  }

  const Program& program_;
  const std::vector<StmtId>& choices_;
  const Table<StmtId, Purpose> purpose_;
  Table<ValueId, bool> values_;
  ControlFlow flow_;
  bool grew_ = false;
};

}  // namespace

ControlFlow control_flow(const Program& program, const std::vector<StmtId>& choices) {
  return Backwards(program, choices).run();
}

std::vector<StmtId> left_out_control(const Program& program, const ControlFlow& control) {
  std::vector<StmtId> statements;
  for (const StmtId i : program.body.ids()) {
    const Op& op = program.body[i].op;
    const Slice* dst = written_slice(op);
    if (dst == nullptr || !is_left_out(program, op)) continue;
    const Value& to = program.value(dst->base);
    if (to.kind == ValueKind::ref && to.buffer && control.buffers[to.buffer])
      statements.push_back(i);
  }
  return statements;
}

Diag skipped_control(const Program& program, StmtId statement) {
  return {ErrorCode::unsupported,
          program.loc(statement),
          "control depends on values that are computed here, and --no-math skips that",
          {}};
}

// Any select may choose from undefined elements: this is only known after a run.
bool control_needs_arithmetic(const Program& program) {
  std::vector<StmtId> selects;
  for (const StmtId i : program.body.ids())
    if (std::holds_alternative<TileSelect>(program.body[i].op)) selects.push_back(i);
  return !left_out_control(program, control_flow(program, selects)).empty();
}

}  // namespace tessera
