// Operands of ops over the field, and results of element-wise ops.
#include "analysis/equality/domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/equality/exact.h"
#include "interp/tiles/functions.h"
#include "interp/tiles/integer_ops.h"

namespace tessera::fields {
namespace {

// The elements of a view, row-major.
std::vector<std::int64_t> integers_of(const TileView& view) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(view.elements()));
  const std::int64_t length = view.rank == 0 ? 1 : view.size[Box::at(view.rank - 1)];
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(length)) {
    const TileView row = stretch(view, static_cast<std::int64_t>(i), length);
    for (std::int64_t j = 0; j < length; ++j)
      values[i + static_cast<std::size_t>(j)] = row.integer_at(j);
  }
  return values;
}

}  // namespace

Tile FiniteFieldDomain::first(const Buffer& buffer, const Extents& shape, int device) {
  if (buffer.role != Role::in) return undefined(shape);
  const Inputs::Operand element = inputs_.of(buffer.name, device);
  Tile tile = filled(shape, {});
  for (std::size_t i = 0; i < tile.p.size(); ++i)
    tile.put(i, element(static_cast<std::int64_t>(i)));
  tile.bound = {.degree = 1};
  return tile;
}

Tile FiniteFieldDomain::undefined(const Extents& shape) {
  Tile tile = filled(shape, {});
  for (std::size_t i = 0; i < tile.p.size(); ++i) tile.put(i, arithmetic_.apart());
  return tile;
}

void FiniteFieldDomain::complete(Operand& operand, Storage& storage, const Box& box) const {
  if (!is_integer(operand.dtype)) return;
  if (operand.is_machines()) static_cast<Tile&>(operand) = machines(operand.shape);
  operand.is_known = operand.has_machines();
  operand.integers = integers_of(storage.read(box));
  for (std::size_t i = 0; i < operand.integers.size(); ++i)
    if (operand.p[i] == as_in_machine) {
      operand.put(i, arithmetic_.draw().of(operand.integers[i]));
      operand.bound = joined(operand.bound, bound_of(operand.integers[i]));
    }
}

Operand FiniteFieldDomain::of_integer(std::int64_t integer) const {
  Operand operand = of_real(integer);
  operand.dtype = DType::i64;
  operand.is_known = true;
  operand.integers = {integer};
  return operand;
}

Operand FiniteFieldDomain::of_literal(double literal) const {
  Operand operand{filled({}, arithmetic_.draw().of(literal)), DType::f32};
  operand.is_known = true;
  operand.literal = literal;
  operand.bound = bound_of(literal);
  operand.bound.has_unknown = !is_as_written(literal);
  return operand;
}

Operand FiniteFieldDomain::of_real(std::int64_t integer) const {
  Operand operand{filled({}, arithmetic_.draw().of(integer)), DType::f32};
  operand.bound = bound_of(integer);
  return operand;
}

template <typename Value>
Tile FiniteFieldDomain::of_integers(const Extents& shape, Value&& value) const {
  Tile tile = filled(shape, {});
  for (std::size_t i = 0; i < tile.p.size(); ++i) {
    const std::int64_t integer = value(i);
    tile.put(i, arithmetic_.draw().of(integer));
    tile.bound = joined(tile.bound, bound_of(integer));
  }
  return tile;
}

Tile FiniteFieldDomain::rounded(Tile tile, DType to) const {
  if (!is_rounded_away(to) || tile.bound.is_truth) return tile;
  return arithmetic_.unknown(fmt::format("cast to {}", name(to)), std::move(tile));
}

Tile FiniteFieldDomain::binary(Binary kind, const Operand& a, const Operand& b, DType to) {
  const bool are_integers = is_integer(a.dtype) && is_integer(b.dtype);
  if (a.is_known && b.is_known && are_integers) {
    Tile tile = of_integers(
        a.shape, [&](std::size_t i) { return tile::value_of(kind, a.integers[i], b.integers[i]); });
    tile.bound.is_truth = kind == Binary::lt || kind == Binary::le || kind == Binary::eq;
    return rounded(std::move(tile), to);
  }
  Tile tile = arithmetic_.binary(kind, a, b);
  if (kind == Binary::div && are_integers) tile = arithmetic_.unknown("floor", std::move(tile));
  const bool chooses = kind == Binary::min || kind == Binary::max;
  return stored(
      std::move(tile), to,
      (chooses && a.dtype == to && b.dtype == to) ||
          (are_integers && is_integer(to) && holds_integers(to, a) && holds_integers(to, b)));
}

// Ops on truth values become sums and products; for other integers only congruence is known.
Tile FiniteFieldDomain::of_bits(Integers kind, const Tile& a, const Tile& b, DType type) {
  const bool are_truths = a.bound.is_truth && b.bound.is_truth;
  if (are_truths && kind == Integers::bit_and) return arithmetic_.binary(Binary::mul, a, b);
  if (are_truths && (kind == Integers::bit_or || kind == Integers::bit_xor)) {
    const Tile both = arithmetic_.binary(Binary::mul, a, b);
    Tile sum = arithmetic_.binary(Binary::sub, arithmetic_.binary(Binary::add, a, b), both);
    if (kind == Integers::bit_xor) sum = arithmetic_.binary(Binary::sub, sum, both);
    sum.bound.is_truth = true;
    return sum;
  }
  return arithmetic_.unknown(fmt::format("{} of {}", name(kind), name(type)), a, b);
}

Tile FiniteFieldDomain::integers(Integers kind, const Operand& a, const Operand& b, DType type,
                                 DType to) {
  if (a.is_known && b.is_known)
    return rounded(of_integers(a.shape,
                               [&](std::size_t i) {
                                 return tile::value_of(kind, type, a.integers[i], b.integers[i]);
                               }),
                   to);
  return stored(of_bits(kind, a, b, type), to,
                is_integer(to) && holds_integers(to, Operand({}, type)));
}

Tile FiniteFieldDomain::select(Operand condition, const Operand& a, const Operand& b, DType to) {
  if (condition.is_known)
    for (std::size_t i = 0; i < condition.p.size(); ++i)
      if (condition.p[i] != 0) condition.put(i, {1, 1});
  const auto is_exact = [&](const Operand& choice) {
    return choice.dtype == to ||
           (is_integer(choice.dtype) && is_integer(to) && holds_integers(to, choice)) ||
           (choice.is_known && !is_integer(choice.dtype) && is_held_by(to, choice.literal));
  };
  return stored(arithmetic_.select(condition, a, b), to, is_exact(a) && is_exact(b));
}

Tile FiniteFieldDomain::cast(Operand x, DType to) const {
  const bool is_number = x.is_known && !is_integer(x.dtype);
  const bool is_exact = x.dtype == to ||
                        (is_integer(x.dtype) && is_integer(to) && holds_integers(to, x)) ||
                        (is_number && is_held_by(to, x.literal));
  return stored(std::move(x), to, is_exact);
}

Tile FiniteFieldDomain::truncate(Operand x, DType to) const {
  const bool is_exact = x.dtype == to || (is_integer(x.dtype) && holds_integers(to, x)) ||
                        (x.is_known && is_held_by(to, x.literal)) || x.bound.is_truth;
  if (is_exact) return x;
  return arithmetic_.unknown(fmt::format("truncate to {}", name(to)), std::move(x));
}

Tile FiniteFieldDomain::iota(const Extents& shape, std::size_t dim, DType to) const {
  const std::int64_t extent = shape[dim], inner = shadow::lines_along(shape, dim).inner;
  Tile tile = filled(shape, {});
  for (std::size_t i = 0; i < tile.p.size(); ++i)
    tile.put(i, arithmetic_.draw().of(static_cast<std::int64_t>(i) / inner % extent));
  tile.bound = bound_of(extent);
  return rounded(std::move(tile), to);
}

}  // namespace tessera::fields
