#include "core/program/fold.h"

#include "core/program/scalar.h"

namespace tessera {
namespace {

using Arithmetic = std::int64_t (*)(std::int64_t, std::int64_t);

// Returns the function of a scalar op with two operands, by index in Op; null for other ops.
Arithmetic arithmetic(std::size_t index) {
  switch (index) {
    case op_index<Add>():
      return scalar::add;
    case op_index<Sub>():
      return scalar::sub;
    case op_index<Mul>():
      return scalar::mul;
    case op_index<Div>():
      return scalar::div;
    case op_index<Mod>():
      return scalar::mod;
    case op_index<Tiles>():
      return scalar::tiles;
    case op_index<Quotient>():
      return scalar::quotient;
    case op_index<Remainder>():
      return scalar::remainder;
    case op_index<BitAnd>():
      return [](std::int64_t a, std::int64_t b) { return a & b; };
    case op_index<BitOr>():
      return [](std::int64_t a, std::int64_t b) { return a | b; };
    case op_index<BitXor>():
      return [](std::int64_t a, std::int64_t b) { return a ^ b; };
    case op_index<ShiftLeft>():
      return scalar::shift_left<std::int64_t>;
    case op_index<ShiftRight>():
      return scalar::shift_right<std::int64_t>;
    case op_index<Min>():
      return scalar::min;
    case op_index<Max>():
      return scalar::max;
    case op_index<And>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a != 0 && b != 0; };
    case op_index<Or>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a != 0 || b != 0; };
    case op_index<Eq>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a == b; };
    case op_index<Ne>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a != b; };
    case op_index<Lt>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a < b; };
    case op_index<Le>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a <= b; };
    default:
      return nullptr;
  }
}

Folded constant(std::int64_t value) { return {true, value, no_value}; }
Folded same(ValueId id) { return {false, 0, id}; }

// True if the value is always 0 or 1.
bool is_condition(const Program& program, ValueId id) {
  const Value& v = program.value(id);
  if (v.constant || !v.statement) return v.constant && (v.integer == 0 || v.integer == 1);
  switch (program.body[v.statement].op.index()) {
    case op_index<And>():
    case op_index<Or>():
    case op_index<Not>():
    case op_index<Eq>():
    case op_index<Ne>():
    case op_index<Lt>():
    case op_index<Le>():
      return true;
    default:
      return false;
  }
}

// Simplifies an op with one constant operand: x + 0, x * 1, x * 0, x / 1, x and 1, ...
Folded identity(std::size_t index, ValueId a, ValueId b, const Program& program) {
  const auto x = program.constant(a), y = program.constant(b);
  switch (index) {
    case op_index<Add>():
      if (x == 0) return same(b);
      [[fallthrough]];
    case op_index<Sub>():
      if (y == 0) return same(a);
      break;
    case op_index<Mul>():
      if (x == 0 || y == 0) return constant(0);
      if (x == 1) return same(b);
      if (y == 1) return same(a);
      break;
    case op_index<BitOr>():
    case op_index<BitXor>():
      if (x == 0) return same(b);
      [[fallthrough]];
    case op_index<ShiftLeft>():
    case op_index<ShiftRight>():
      if (y == 0) return same(a);
      break;
    case op_index<BitAnd>():
      if (x == 0 || y == 0) return constant(0);
      if (x == -1) return same(b);
      if (y == -1) return same(a);
      break;
    case op_index<Div>():
    case op_index<Quotient>():
    case op_index<Tiles>():
      if (y == 1) return same(a);
      break;
    case op_index<Remainder>():
    case op_index<Mod>():
      if (y == 1) return constant(0);
      break;
    case op_index<And>():
      if (x == 0 || y == 0) return constant(0);
      if (x && is_condition(program, b)) return same(b);
      if (y && is_condition(program, a)) return same(a);
      break;
    case op_index<Or>():
      if ((x && *x != 0) || (y && *y != 0)) return constant(1);
      if (x && is_condition(program, b)) return same(b);
      if (y && is_condition(program, a)) return same(a);
      break;
    case op_index<Min>():
    case op_index<Max>():
      if (a == b) return same(a);
      break;
    default:
      break;
  }
  return {};
}

}  // namespace

Folded fold(const Op& op, const Program& program) {
  if (const auto* o = std::get_if<Select>(&op)) {
    const auto c = program.constant(o->condition);
    if (c) return same(*c != 0 ? o->a : o->b);
    if (o->a == o->b) return same(o->a);
    return {};
  }
  if (const auto* o = std::get_if<Not>(&op)) {
    const auto a = program.constant(o->a);
    return a ? constant(*a == 0) : Folded{};
  }
  if (const auto* o = std::get_if<BitNot>(&op)) {
    const auto a = program.constant(o->a);
    return a ? constant(~*a) : Folded{};
  }
  if (const auto* o = std::get_if<Popcount>(&op)) {
    const auto a = program.constant(o->a);
    return a ? constant(scalar::popcount(*a)) : Folded{};
  }
  if (const auto* o = std::get_if<Limit>(&op)) {
    const auto a = program.constant(o->a), bound = program.constant(o->bound);
    return a && bound && *a >= 0 && *a <= *bound ? same(o->a) : Folded{};
  }
  const Arithmetic f = arithmetic(op.index());
  if (!f) return {};
  const auto& fields = info(op).fields;
  const ValueId a = field<ValueId>(op, fields[0]), b = field<ValueId>(op, fields[1]);
  const auto x = program.constant(a), y = program.constant(b);
  if (x && y) return constant(f(*x, *y));
  return identity(op.index(), a, b, program);
}

}  // namespace tessera
