#include "tests/mutation/value_mutants.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "core/passes/statement_rewriter.h"

namespace tessera::fields {
namespace {

bool carries_values(const Op& op) {
  return class_of(op) == OpClass::tile || class_of(op) == OpClass::copy;
}

const FieldInfo& field_of(const Op& op, const ValueMutant& mutant) {
  return info(op).fields[mutant.field];
}

Slice& slice_of(Op& op, const ValueMutant& mutant) {
  return field<Slice>(op, field_of(op, mutant));
}

bool is_turned(Op& op) {
  if (const auto* add = std::get_if<TileAdd>(&op)) {
    op = TileSub{add->dst, add->a, add->b};
  } else if (const auto* most = std::get_if<TileMax>(&op)) {
    op = TileMin{most->dst, most->a, most->b};
  } else {
    return false;
  }
  return true;
}

bool is_swapped(Op& op) {
  if (auto* sub = std::get_if<TileSub>(&op))
    std::swap(sub->a, sub->b);
  else if (auto* div = std::get_if<TileDiv>(&op))
    std::swap(div->a, div->b);
  else if (auto* select = std::get_if<TileSelect>(&op))
    std::swap(select->a, select->b);
  else if (auto* product = std::get_if<Matmul>(&op))
    std::swap(product->a, product->b);
  else
    return false;
  return true;
}

bool adds(const Op& op) {
  if (const auto* copy = std::get_if<Start>(&op)) return copy->add != 0;
  if (const auto* copy = std::get_if<StartRemote>(&op)) return copy->add != 0;
  return std::holds_alternative<TileAdd>(op) || std::holds_alternative<Matmul>(op);
}

// first() and last() compare the loop's index with that of the turn, and have their word's name.
bool is_turn(const Program& program, const Stmt& stmt) {
  if (!std::holds_alternative<Eq>(stmt.op)) return false;
  const std::string& word = program.value(stmt.result).name;
  return word == "first" || word == "last";
}

// With what last(i) compares where first(i) stands, or the other way round; none where that is not
// known before.
ValueId other_end(const Program& program, StmtId statement) {
  const Stmt& stmt = program.body[statement];
  const ValueId index = std::get<Eq>(stmt.op).a;
  const std::string& word = program.value(stmt.result).name;
  const std::string other = word == "first" ? "last" : "first";
  for (const Stmt& each : program.body) {
    const auto* end = std::get_if<Eq>(&each.op);
    if (end == nullptr || end->a != index || program.value(each.result).name != other) continue;
    const Value& number = program.value(end->b);
    if (number.constant || number.statement < statement) return end->b;
  }
  return no_value;
}

// The next buffer that could be meant: of the same type, shape and space. Results are written by
// all, operands by none.
BufferId other_memory(const Program& program, BufferId buffer) {
  const Buffer& meant = program.buffers[buffer];
  const std::int32_t count = program.buffers.next().index;
  for (std::int32_t step = 1; step < count; ++step) {
    const BufferId id((buffer.index + step) % count);
    const Buffer& other = program.buffers[id];
    if (other.dtype == meant.dtype && other.shape == meant.shape && other.space == meant.space &&
        other.role == meant.role && !other.scoped && !meant.scoped)
      return id;
  }
  return {};
}

class List {
 public:
  explicit List(const Program& program) : program_(program) {}

  std::vector<ValueMutant> all() {
    for (const StmtId statement : program_.body.ids()) {
      at_ = statement;
      const Op& op = program_.body[statement].op;
      if (is_turn(program_, program_.body[statement])) add_turns();
      if (carries_values(op)) add_changes(op);
    }
    return std::move(mutants_);
  }

 private:
  void add(ValueMutation mutation, std::size_t field = 0, std::size_t dimension = 0) {
    mutants_.push_back({mutation, at_, field, dimension});
  }

  void add_turns() {
    for (const auto mutation :
         {ValueMutation::negated, ValueMutation::always, ValueMutation::a_turn_later})
      add(mutation, 1);
    if (other_end(program_, at_) != no_value) add(ValueMutation::other_end, 1);
  }

  void add_changes(const Op& op) {
    Op swapped = op, turned = op;
    if (class_of(op) == OpClass::tile) add(ValueMutation::removed);
    if (adds(op)) add(ValueMutation::replaced);
    if (is_swapped(swapped)) add(ValueMutation::swapped);
    if (std::holds_alternative<Matmul>(op))
      for (const std::size_t flag : {3U, 4U}) add(ValueMutation::transposed, flag);
    for (std::size_t f = 0; f < info(op).fields.size(); ++f)
      if (info(op).fields[f].kind == FieldKind::Slice)
        add_indices(tessera::field<Slice>(op, info(op).fields[f]), f);
    if (is_turned(turned)) add(ValueMutation::turned);
  }

  void add_indices(const Slice& slice, std::size_t f) {
    const Value& base = program_.value(slice.base);
    if (base.kind != ValueKind::ref) return;
    if (other_memory(program_, base.buffer)) add(ValueMutation::other_operand, f);
    const Shape& shape = program_.buffers[base.buffer].shape;
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      const std::optional<std::int64_t> start = program_.constant(slice.start[d]);
      if (start != 0) add(ValueMutation::at_zero, f, d);
      add(ValueMutation::one_on, f, d);
      const bool is_slot = (slice.dropped >> d & 1U) != 0 && shape[d] > 1;
      if (is_slot) add(ValueMutation::other_slot, f, d);
    }
  }

  const Program& program_;
  StmtId at_;
  std::vector<ValueMutant> mutants_;
};

// The sum or the copy without what was there before.
void replace(StatementRewriter& rewriter, Op& op) {
  if (const auto* add = std::get_if<TileAdd>(&op)) {
    const Slice from = add->b, to = add->dst;
    op = Cast{to, from};
  } else if (auto* copy = std::get_if<Start>(&op)) {
    copy->add = 0;
  } else if (auto* remote = std::get_if<StartRemote>(&op)) {
    remote->add = 0;
  } else {
    const Slice& acc = std::get<Matmul>(op).acc;
    const bool is_real = is_float(rewriter.program().buffer(acc.base)->dtype);
    const ValueId zero = is_real ? rewriter.constant_real(0) : rewriter.constant(0);
    rewriter.add(Cast{acc, Slice{.base = zero}});
  }
}

void change_index(StatementRewriter& rewriter, Op& op, const ValueMutant& mutant) {
  Slice& slice = slice_of(op, mutant);
  ValueId& start = slice.start[mutant.dimension];
  if (mutant.mutation == ValueMutation::at_zero) {
    start = rewriter.constant(0);
  } else if (mutant.mutation == ValueMutation::one_on) {
    start = rewriter.emit(Add{start, rewriter.constant(1)});
  } else {
    const Shape& shape = rewriter.program().buffer(slice.base)->shape;
    start = rewriter.next_of(start, rewriter.constant(shape[mutant.dimension]));
  }
}

}  // namespace

std::string_view name(ValueMutation mutation) {
  constexpr std::array<std::string_view, 13> names = {
      "removed", "= for +=",        "turned",     "negated", "always", "a turn later", "other end",
      "swapped", "another operand", "transposed", "at zero", "one on", "another slot"};
  return names[static_cast<std::size_t>(mutation)];
}

std::vector<ValueMutant> value_mutants(const Program& expanded) { return List(expanded).all(); }

std::string place(const Program& expanded, const ValueMutant& mutant) {
  switch (mutant.mutation) {
    case ValueMutation::removed:
    case ValueMutation::replaced:
    case ValueMutation::turned:
    case ValueMutation::negated:
    case ValueMutation::always:
    case ValueMutation::a_turn_later:
    case ValueMutation::other_end:
    case ValueMutation::swapped:
      return "";
    case ValueMutation::other_operand:
    case ValueMutation::transposed:
    case ValueMutation::at_zero:
    case ValueMutation::one_on:
    case ValueMutation::other_slot:
      break;
  }
  const FieldInfo& field = field_of(expanded.body[mutant.statement].op, mutant);
  if (field.kind != FieldKind::Slice || mutant.mutation == ValueMutation::other_operand)
    return std::string(field.name);
  return fmt::format("{}[{}]", field.name, mutant.dimension);
}

Program mutated(const Program& expanded, const ValueMutant& mutant) {
  StatementRewriter rewriter(expanded, mutant.statement);
  Op op = rewriter.statement().op;
  switch (mutant.mutation) {
    case ValueMutation::removed:
      op = rewriter.nothing();
      break;
    case ValueMutation::replaced:
      replace(rewriter, op);
      break;
    case ValueMutation::turned:
      is_turned(op);
      break;
    case ValueMutation::negated:
      op = Ne{std::get<Eq>(op).a, std::get<Eq>(op).b};
      break;
    case ValueMutation::always:
      std::get<Eq>(op).b = std::get<Eq>(op).a;
      break;
    case ValueMutation::a_turn_later:
      std::get<Eq>(op).b = rewriter.emit(Add{std::get<Eq>(op).b, rewriter.constant(1)});
      break;
    case ValueMutation::other_end:
      std::get<Eq>(op).b = other_end(expanded, mutant.statement);
      break;
    case ValueMutation::swapped:
      is_swapped(op);
      break;
    case ValueMutation::other_operand: {
      Slice& slice = slice_of(op, mutant);
      const BufferId other = other_memory(expanded, expanded.value(slice.base).buffer);
      slice.base = expanded.buffers[other].value;
      break;
    }
    case ValueMutation::transposed: {
      auto& flag = field<std::int64_t>(op, field_of(op, mutant));
      flag = flag == 0 ? 1 : 0;
      break;
    }
    case ValueMutation::at_zero:
    case ValueMutation::one_on:
    case ValueMutation::other_slot:
      change_index(rewriter, op, mutant);
      break;
  }
  rewriter.statement().op = std::move(op);
  return rewriter.take();
}

}  // namespace tessera::fields
