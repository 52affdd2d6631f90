// What each op does to bounds: its operands from memory and registers, a rule, and the rounding to
// the type of its target.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/data/dtype_range.h"
#include "interp/machine/code.h"
#include "interp/running_error/put_each.h"

namespace tessera::running_error {
namespace {

// As interp/tiles/integer_range.h has it.
DType widest_of(DType dst, const Tile& a, const Tile& b) {
  DType widest = is_float(dst) ? DType::i64 : dst;
  for (const DType dtype : {a.dtype, b.dtype}) widest = wider_integer(widest, dtype);
  return widest;
}

Tile one(double value, Bound bound, DType dtype) { return {{}, {bound}, {value}, dtype}; }

}  // namespace

Tile ErrorRun::number(ValueId id) {
  const Value& value = program().value(id);
  if (value.kind == ValueKind::scalar)
    return {{}, {}, {static_cast<double>(register_of(id))}, DType::i64};
  // What the text says, or its f32: what is compared with may have either.
  if (value.constant) {
    const auto held = static_cast<double>(static_cast<float>(value.real));
    if (std::isinf(held) || held == value.real) return {{}, {}, {held}, DType::f32};
    return one(held, rounded_up(std::abs(held - value.real)), DType::f32);
  }
  if (const auto* real = std::get_if<ToReal>(&program().body[value.statement].op)) {
    const Number x = rules_.as_f32({static_cast<double>(register_of(real->a)), 0});
    return one(x.value, x.bound, DType::f32);
  }
  return one(static_cast<double>(real_register(register_of(id))),
             reals_[{topology().of(event().agent), id}], DType::f32);
}

// A NaN is known of nothing.
Tile ErrorRun::with_known_values(Tile tile) {
  for (std::size_t i = 0; i < tile.values.size(); ++i) {
    if (!std::isnan(tile.values[i]) || !is_known(tile.bound(i))) continue;
    if (tile.bounds.empty()) tile.bounds.assign(tile.values.size(), 0);
    tile.bounds[i] = rules_.unknown("it is no number");
  }
  return tile;
}

Tile ErrorRun::operand(const Slice& slice) {
  const Value& base = program().value(slice.base);
  Tile tile = with_known_values(base.kind == ValueKind::ref
                                    ? memory_->read(home(slice), base.buffer, box(slice))
                                    : number(slice.base));
  return rules_.flushes() && is_float(tile.dtype) ? flushed(std::move(tile)) : tile;
}

Tile ErrorRun::flushed(Tile tile) const {
  std::vector<Bound> bounds(tile.values.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = rules_.flushed(tile.at(i)).bound;
  const auto is_zero = [](Bound bound) { return bound == 0; };
  if (!std::all_of(bounds.begin(), bounds.end(), is_zero)) tile.bounds = std::move(bounds);
  return tile;
}

Tile ErrorRun::operand(const Slice& slice, const Extents& shape) {
  const Tile tile = operand(slice);
  if (beside::can_repeat(tile.shape, shape)) return repeated(tile, shape);
  refuse("operands do not fit each other");  // the machine says how, and ends there
  return {shape,
          {},
          std::vector<double>(static_cast<std::size_t>(beside::elements_of(shape))),
          tile.dtype};
}

Tile ErrorRun::as_f32(Tile tile) {
  if (is_float(tile.dtype)) return tile;
  std::vector<Bound> bounds(tile.elements());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Number x = rules_.as_f32(tile.at(i));
    tile.values[i] = x.value;
    bounds[i] = x.bound;
  }
  return {tile.shape, std::move(bounds), std::move(tile.values), DType::f32};
}

void ErrorRun::put(const Slice& dst, Extents shape, std::vector<Bound> bounds) {
  memory_->write(home(dst), program().value(dst.base).buffer, box(dst),
                 of_bounds(std::move(shape), std::move(bounds)));
}

void ErrorRun::leave_exact(const Slice& dst) { put(dst, beside::shape_of(box(dst)), {}); }

void ErrorRun::binary(Binary op, const Slice& dst, const Slice& first, const Slice& second) {
  const Extents shape = beside::shape_of(box(dst));
  Tile a = operand(first, shape), b = operand(second, shape);
  if (is_float(a.dtype) || is_float(b.dtype)) {
    a = as_f32(std::move(a));
    b = as_f32(std::move(b));
    return put_each(dst, [&](std::size_t i) { return rules_.binary(op, a.at(i), b.at(i)); });
  }
  if (a.is_exact() && b.is_exact() && is_integer(type_of(dst))) return leave_exact(dst);
  const DType widest = widest_of(type_of(dst), a, b);
  put_each(dst, [&](std::size_t i) { return rules_.of_integers(op, a.at(i), b.at(i), widest); });
}

void ErrorRun::evaluate(const TileSelect& op) {
  const Extents shape = beside::shape_of(box(op.dst));
  const Tile condition = as_f32(operand(op.condition, shape));
  Tile a = operand(op.a, shape), b = operand(op.b, shape);
  if (is_float(a.dtype) || is_float(b.dtype)) {
    a = as_f32(std::move(a));
    b = as_f32(std::move(b));
  } else if (condition.is_exact() && a.is_exact() && b.is_exact() && is_integer(type_of(op.dst))) {
    return leave_exact(op.dst);
  }
  put_each(op.dst, [&](std::size_t i) { return rules_.select(condition.at(i), a.at(i), b.at(i)); });
}

void ErrorRun::evaluate(const Cast& op) {
  const Tile src = operand(op.src, beside::shape_of(box(op.dst)));
  if (src.is_exact() &&
      (src.dtype == type_of(op.dst) || (is_integer(src.dtype) && is_integer(type_of(op.dst)))))
    return leave_exact(op.dst);
  put_each(op.dst, [&](std::size_t i) { return src.at(i); });
}

void ErrorRun::evaluate(const TileIota& op) {
  const Extents shape = beside::shape_of(box(op.dst));
  if (is_integer(type_of(op.dst))) return leave_exact(op.dst);
  const auto dim = static_cast<std::size_t>(op.dim);
  std::int64_t inner = 1;
  for (std::size_t d = dim + 1; d < shape.size(); ++d) inner *= shape[d];
  put_each(op.dst, [&](std::size_t i) {
    return Number{static_cast<double>(static_cast<std::int64_t>(i) / inner % shape[dim]), 0};
  });
}

void ErrorRun::evaluate(const Scaled& op) {
  const Extents shape = beside::shape_of(box(op.dst));
  const Tile src = as_f32(operand(op.src, shape)), scale = as_f32(operand(op.scale));
  if (scale.shape.size() != shape.size() || scale.values.empty())
    return refuse("a scale of no blocks");
  Tile all{shape, std::vector<Bound>(src.elements()), std::vector<double>(src.elements()),
           DType::f32};
  beside::for_each_in_blocks(scale.shape, shape, [&](std::size_t to, std::size_t from) {
    all.values[to] = scale.values[from];
    all.bounds[to] = scale.bound(from);
  });
  put_each(op.dst, [&](std::size_t i) { return rules_.binary(Binary::mul, src.at(i), all.at(i)); });
}

// Elements in order, under the target's shape.
void ErrorRun::evaluate(const Regroup& op) {
  const Tile src = operand(op.src);
  if (src.is_exact()) return leave_exact(op.dst);
  put_each(op.dst, [&](std::size_t i) { return src.at(i); });
}

void ErrorRun::evaluate(const Every& op) {
  const Tile src = operand(op.src);
  const Extents to = beside::shape_of(box(op.dst));
  if (src.is_exact()) return leave_exact(op.dst);
  if (!beside::is_every(src.shape, to, op.dim, op.step))
    return refuse("operands do not fit each other");
  std::vector<std::size_t> at(static_cast<std::size_t>(beside::elements_of(to)));
  beside::for_each_every(src.shape, to, op.dim, op.step,
                         [&](std::size_t here, std::size_t there) { at[here] = there; });
  put_each(op.dst, [&](std::size_t i) { return src.at(at[i]); });
}

// Of a value that rounding may have changed the bits are not known.
void ErrorRun::evaluate(const Bitcast& op) {
  const Tile src = operand(op.src);
  if (src.is_exact()) return leave_exact(op.dst);
  refuse(fmt::format("the bits of {} as {} have no rule for errors where they may be rounded",
                     name(src.dtype), name(type_of(op.dst))));
}

void ErrorRun::evaluate(const Store& op) {
  const Tile value = with_known_values(number(op.value));
  if (is_integer(value.dtype) && is_integer(type_of(op.dst))) return leave_exact(op.dst);
  put_each(op.dst, [&](std::size_t) { return value.at(0); });
}

// Of the rectangle that the event names.
void ErrorRun::evaluate(const Pad& op) {
  memory_->write(home(event()), program().value(op.slot.base).buffer, *event().box,
                 {beside::shape_of(*event().box), {}, {}, DType::f32});
}

}  // namespace tessera::running_error
