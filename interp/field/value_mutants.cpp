#include "interp/field/value_mutants.h"

#include <array>
#include <utility>

namespace tessera::fields {
namespace {

bool carries_values(const Op& op) {
  return class_of(op) == OpClass::tile || std::holds_alternative<Start>(op);
}

const FieldInfo& field_of(const Op& op, const ValueMutant& mutant) {
  return info(op).fields[mutant.field];
}

// Statements keep their places: what is added goes to where the values are, not to the body.
ValueId constant(Program& program, std::int64_t integer) {
  return program.values.add({.constant = true, .integer = integer});
}

void remove(Program& program, Op& op) {
  op = Require{constant(program, 1), program.texts.add("removed")};
}

bool is_turned(Op& op) {
  if (const auto* add = std::get_if<TileAdd>(&op)) {
    op = TileSub{add->dst, add->a, add->b};
  } else if (const auto* most = std::get_if<TileMax>(&op)) {
    op = TileMin{most->dst, most->a, most->b};
  } else if (const auto* equal = std::get_if<Eq>(&op)) {
    op = Ne{equal->a, equal->b};
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

}  // namespace

std::string_view name(ValueMutation mutation) {
  constexpr std::array<std::string_view, 7> names = {"removed",    "replaced", "turned", "swapped",
                                                     "transposed", "at zero",  "one on"};
  return names[static_cast<std::size_t>(mutation)];
}

std::vector<ValueMutant> value_mutants(const Program& expanded) {
  std::vector<ValueMutant> result;
  for (const StmtId i : expanded.body.ids()) {
    Op op = expanded.body[i].op;
    if (is_turned(op)) result.push_back({ValueMutation::turned, i});
    if (!carries_values(op)) continue;
    if (class_of(op) == OpClass::tile) result.push_back({ValueMutation::removed, i});
    if (std::holds_alternative<TileAdd>(expanded.body[i].op))
      result.push_back({ValueMutation::replaced, i});
    if (is_swapped(op)) result.push_back({ValueMutation::swapped, i});
    if (std::holds_alternative<Matmul>(op)) {
      result.push_back({ValueMutation::transposed, i, 3});
      result.push_back({ValueMutation::transposed, i, 4});
    }
    for (std::size_t f = 0; f < info(op).fields.size(); ++f) {
      const FieldInfo& field = info(op).fields[f];
      if (field.kind != FieldKind::Slice) continue;
      const Slice& slice = tessera::field<Slice>(op, field);
      if (expanded.value(slice.base).kind != ValueKind::ref) continue;
      for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
        const std::optional<std::int64_t> start = expanded.constant(slice.start[d]);
        if (start != 0) result.push_back({ValueMutation::at_zero, i, f, d});
        if (start) result.push_back({ValueMutation::one_on, i, f, d});
      }
    }
  }
  return result;
}

Program mutated(const Program& expanded, const ValueMutant& mutant) {
  Program program = expanded;
  Op& op = program.body[mutant.statement].op;
  switch (mutant.mutation) {
    case ValueMutation::removed:
      remove(program, op);
      break;
    case ValueMutation::replaced: {
      const TileAdd add = std::get<TileAdd>(op);
      op = Cast{add.dst, add.b};
      break;
    }
    case ValueMutation::turned:
      is_turned(op);
      break;
    case ValueMutation::swapped:
      is_swapped(op);
      break;
    case ValueMutation::transposed: {
      auto& flag = tessera::field<std::int64_t>(op, field_of(op, mutant));
      flag = flag == 0 ? 1 : 0;
      break;
    }
    case ValueMutation::at_zero:
    case ValueMutation::one_on: {
      const bool is_zero = mutant.mutation == ValueMutation::at_zero;
      const ValueId before =
          tessera::field<Slice>(op, field_of(op, mutant)).start[mutant.dimension];
      const std::int64_t start = is_zero ? 0 : *program.constant(before) + 1;
      const ValueId after = constant(program, start);
      tessera::field<Slice>(op, field_of(op, mutant)).start[mutant.dimension] = after;
      break;
    }
  }
  return program;
}

}  // namespace tessera::fields
