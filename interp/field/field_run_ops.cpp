// What each op does over the field: its operands from memory and registers, a rule of Arithmetic,
// and the rounding to the type of its target.
#include <fmt/format.h>

#include <algorithm>

#include "core/program/scalar.h"
#include "interp/field/exact.h"
#include "interp/field/field_run.h"

namespace tessera::fields {
namespace {

// The same as `repeated` of a tile.
std::vector<std::int64_t> repeated_integers(const std::vector<std::int64_t>& values,
                                            const std::vector<std::int64_t>& from,
                                            const std::vector<std::int64_t>& to) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(beside::elements_of(to)));
  beside::for_each_repeated(
      from, to, [&](std::size_t here, std::size_t there) { result[here] = values[there]; });
  return result;
}

std::int64_t integer_of(Binary kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case Binary::add:
      return scalar::add(a, b);
    case Binary::sub:
      return scalar::sub(a, b);
    case Binary::mul:
      return scalar::mul(a, b);
    case Binary::div:
      return scalar::div(a, b);
    case Binary::min:
      return std::min(a, b);
    case Binary::max:
      return std::max(a, b);
    case Binary::lt:
      return a < b ? 1 : 0;
    case Binary::le:
      return a <= b ? 1 : 0;
    case Binary::eq:
      break;
  }
  return a == b ? 1 : 0;
}

}  // namespace

Operand FieldRun::number(ValueId id) {
  const Value& value = program().value(id);
  const Draw& draw = arithmetic_.draw();
  Operand result{.tile = make_tile({}, arithmetic_.has_exponents())};
  if (value.kind == ValueKind::scalar) {
    result.dtype = DType::i64;
    result.is_known = true;
    result.integers = {register_of(id)};
    result.tile.put(0, draw.of(result.integers[0]));
    result.tile.bound = bound_of(result.integers[0]);
  } else if (value.constant) {
    result.is_known = true;
    result.literal = value.real;
    result.tile.put(0, draw.of(value.real));
    result.tile.bound = bound_of(value.real);
    result.tile.bound.has_unknown = !is_as_written(value.real);
  } else if (const auto* real = std::get_if<ToReal>(&program().body[value.statement].op)) {
    result.tile.put(0, draw.of(register_of(real->a)));
    result.tile.bound = bound_of(register_of(real->a));
  } else {
    result.tile = reals_[{topology().of(event().agent), id}];
    result.tile.shape.clear();
  }
  return result;
}

Operand FieldRun::operand(const Slice& slice) {
  const Value& base = program().value(slice.base);
  if (base.kind != ValueKind::ref) return number(slice.base);
  return memory_->read(home(slice), base.buffer, box(slice));
}

Operand FieldRun::operand(const Slice& slice, const std::vector<std::int64_t>& shape) {
  Operand result = operand(slice);
  if (!beside::can_repeat(result.tile.shape, shape)) {
    refuse_operands();
    result.tile = make_tile(shape, arithmetic_.has_exponents());
    return result;
  }
  if (!result.integers.empty())
    result.integers = repeated_integers(result.integers, result.tile.shape, shape);
  result.tile = repeated(result.tile, shape);
  return result;
}

void FieldRun::put(const Slice& dst, Tile tile) {
  memory_->write(home(dst), program().value(dst.base).buffer, box(dst), tile);
}

void FieldRun::put_rounded(const Slice& dst, Tile tile) {
  const DType dtype = type_of(dst);
  if (!is_rounded_away(dtype) || tile.bound.is_truth) return put(dst, std::move(tile));
  put(dst, arithmetic_.unknown(fmt::format("cast to {}", name(dtype)), std::move(tile)));
}

// Of integers that the machine knows.
void FieldRun::integers(Binary kind, const Slice& dst, const Operand& a, const Operand& b) {
  if (is_integer(type_of(dst))) return leave(dst);
  Tile tile = make_tile(a.tile.shape, arithmetic_.has_exponents());
  for (std::size_t i = 0; i < tile.p.size(); ++i) {
    const std::int64_t integer = integer_of(kind, a.integers[i], b.integers[i]);
    tile.put(i, arithmetic_.draw().of(integer));
    tile.bound = joined(tile.bound, bound_of(integer));
  }
  tile.bound.is_truth = kind == Binary::lt || kind == Binary::le || kind == Binary::eq;
  put_rounded(dst, std::move(tile));
}

void FieldRun::binary(Binary kind, const Slice& dst, const Slice& first, const Slice& second) {
  const std::vector<std::int64_t> shape = shape_of(box(dst));
  const Operand a = operand(first, shape), b = operand(second, shape);
  const bool are_integers = is_integer(a.dtype) && is_integer(b.dtype);
  if (a.is_known && b.is_known && are_integers) return integers(kind, dst, a, b);
  Tile result;
  if (kind == Binary::div && are_integers) {
    result = arithmetic_.unknown("floor", arithmetic_.binary(kind, a.tile, b.tile));
  } else {
    result = arithmetic_.binary(kind, a.tile, b.tile);
  }
  const bool chooses = kind == Binary::min || kind == Binary::max;
  const bool is_exact = (chooses && a.dtype == type_of(dst) && b.dtype == type_of(dst)) ||
                        (are_integers && is_integer(type_of(dst)) &&
                         holds_integers(type_of(dst), a) && holds_integers(type_of(dst), b));
  is_exact ? put(dst, std::move(result)) : put_rounded(dst, std::move(result));
}

void FieldRun::evaluate(const TileSelect& op) {
  const std::vector<std::int64_t> shape = shape_of(box(op.dst));
  Operand condition = operand(op.condition, shape);
  const Operand a = operand(op.a, shape), b = operand(op.b, shape);
  const DType to = type_of(op.dst);
  const bool are_known = condition.is_known && a.is_known && b.is_known;
  if (are_known && is_integer(to) && is_integer(a.dtype) && is_integer(b.dtype))
    return leave(op.dst);
  if (condition.is_known)
    for (std::size_t i = 0; i < condition.tile.p.size(); ++i)
      if (condition.tile.p[i] != 0) condition.tile.put(i, {1, 1});
  Tile result = arithmetic_.select(condition.tile, a.tile, b.tile);
  const auto is_exact = [&](const Operand& choice) {
    return choice.dtype == to ||
           (is_integer(choice.dtype) && is_integer(to) && holds_integers(to, choice)) ||
           (choice.is_known && !is_integer(choice.dtype) && is_held_by(to, choice.literal));
  };
  is_exact(a) && is_exact(b) ? put(op.dst, std::move(result))
                             : put_rounded(op.dst, std::move(result));
}

void FieldRun::evaluate(const Cast& op) {
  const DType to = type_of(op.dst);
  Operand src = operand(op.src, shape_of(box(op.dst)));
  if (src.is_known && is_integer(src.dtype) && is_integer(to)) return leave(op.dst);
  const bool is_number = src.is_known && !is_integer(src.dtype);
  const bool is_exact = src.dtype == to ||
                        (is_integer(src.dtype) && is_integer(to) && holds_integers(to, src)) ||
                        (is_number && is_held_by(to, src.literal));
  is_exact ? put(op.dst, std::move(src.tile)) : put_rounded(op.dst, std::move(src.tile));
}

void FieldRun::evaluate(const TileIota& op) {
  if (is_integer(type_of(op.dst))) return leave(op.dst);
  const Box target = box(op.dst);
  Tile tile = make_tile(shape_of(target), arithmetic_.has_exponents());
  std::int64_t inner = 1;
  const auto dim = static_cast<std::size_t>(op.dim);
  for (std::size_t d = dim + 1; d < tile.shape.size(); ++d) inner *= tile.shape[d];
  for (std::size_t i = 0; i < tile.p.size(); ++i)
    tile.put(i, arithmetic_.draw().of(static_cast<std::int64_t>(i) / inner % tile.shape[dim]));
  tile.bound = bound_of(tile.shape[dim]);
  put_rounded(op.dst, std::move(tile));
}

void FieldRun::evaluate(const Scaled& op) {
  const std::vector<std::int64_t> shape = shape_of(box(op.dst));
  const Operand src = operand(op.src, shape);
  const Tile scale = operand(op.scale).tile;
  Tile all = make_tile(shape, arithmetic_.has_exponents());
  all.bound = scale.bound;
  if (scale.shape.size() != shape.size() || scale.p.empty()) return refuse("a scale of no blocks");
  beside::for_each_in_blocks(
      scale.shape, shape, [&](std::size_t to, std::size_t from) { all.put(to, scale.at(from)); });
  put_rounded(op.dst, arithmetic_.binary(Binary::mul, src.tile, all));
}

// Elements in order, under the target's shape.
void FieldRun::evaluate(const Regroup& op) {
  Operand src = operand(op.src);
  if (src.is_known && is_integer(src.dtype)) return leave(op.dst);
  src.tile.shape = shape_of(box(op.dst));
  if (beside::elements_of(src.tile.shape) != src.tile.elements()) return refuse_operands();
  put(op.dst, std::move(src.tile));
}

void FieldRun::evaluate(const Every& op) {
  const Operand src = operand(op.src);
  if (src.is_known && is_integer(src.dtype)) return leave(op.dst);
  Tile tile = make_tile(shape_of(box(op.dst)), arithmetic_.has_exponents());
  tile.bound = src.tile.bound;
  if (!beside::is_every(src.tile.shape, tile.shape, op.dim, op.step)) return refuse_operands();
  beside::for_each_every(
      src.tile.shape, tile.shape, op.dim, op.step,
      [&](std::size_t to, std::size_t from) { tile.put(to, src.tile.at(from)); });
  put(op.dst, std::move(tile));
}

// Bits of integers that the machine knows are the machine's.
void FieldRun::evaluate(const Bitcast& op) {
  const Operand src = operand(op.src);
  if (src.is_known && is_integer(src.dtype) && is_integer(type_of(op.dst))) return leave(op.dst);
  refuse(
      fmt::format("the bits of {} as {} have no rule over the field: views of another type are "
                  "refused",
                  name(src.dtype), name(type_of(op.dst))));
}

void FieldRun::evaluate(const Store& op) {
  const Operand value = number(op.value);
  const DType to = type_of(op.dst);
  if (is_integer(to) && is_integer(value.dtype)) return leave(op.dst);
  Tile tile = repeated(value.tile, shape_of(box(op.dst)));
  value.is_known&& is_held_by(to, value.literal) ? put(op.dst, std::move(tile))
                                                 : put_rounded(op.dst, std::move(tile));
}

// Of the rectangle that the event names.
void FieldRun::evaluate(const Pad& op) {
  const BufferId buffer = program().value(op.slot.base).buffer;
  const bool is_float_data = !is_integer(type_of(op.slot));
  memory_->write(
      home(event()), buffer, *event().box,
      is_float_data ? make_tile(shape_of(*event().box), arithmetic_.has_exponents()) : Tile{});
}

}  // namespace tessera::fields
