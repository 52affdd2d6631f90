// Ops of integers over the field: the machine's own where it knows them; of those that floats made,
// bits of truths are sums and products, and of others only congruence is known.
#include <fmt/format.h>

#include "core/data/dtype_range.h"
#include "core/program/refs.h"
#include "interp/field/exact.h"
#include "interp/field/field_run.h"

namespace tessera::fields {

using tile::IntegerBinary;

Tile FieldRun::of_integers(IntegerBinary kind, const Operand& a, const Operand& b, DType type) {
  const Tile &x = a.tile, &y = b.tile;
  const bool are_truths = x.bound.is_truth && y.bound.is_truth;
  if (are_truths && kind == IntegerBinary::bit_and) return arithmetic_.binary(Binary::mul, x, y);
  if (are_truths && (kind == IntegerBinary::bit_or || kind == IntegerBinary::bit_xor)) {
    const Tile both = arithmetic_.binary(Binary::mul, x, y);
    Tile sum = arithmetic_.binary(Binary::sub, arithmetic_.binary(Binary::add, x, y), both);
    if (kind == IntegerBinary::bit_xor) sum = arithmetic_.binary(Binary::sub, sum, both);
    sum.bound.is_truth = true;
    return sum;
  }
  return arithmetic_.unknown(fmt::format("{} of {}", name(kind), name(type)), x, y);
}

void FieldRun::integers(IntegerBinary kind, const Slice& dst, const Slice& first,
                        const Slice& second) {
  const std::vector<std::int64_t> shape = shape_of(box(dst));
  const Operand a = operand(first, shape), b = operand(second, shape);
  integers(kind, dst, a, b,
           tile::integer_type(kind, a.dtype, is_number(program(), first), b.dtype,
                              is_number(program(), second)));
}

void FieldRun::integers(IntegerBinary kind, const Slice& dst, const Operand& a, const Operand& b,
                        DType type) {
  const DType to = type_of(dst);
  if (a.is_known && b.is_known) {
    if (is_integer(to)) return leave(dst);
    Tile tile = make_tile(a.tile.shape, arithmetic_.has_exponents());
    for (std::size_t i = 0; i < tile.p.size(); ++i) {
      const std::int64_t integer = tile::value_of(kind, type, a.integers[i], b.integers[i]);
      tile.put(i, arithmetic_.draw().of(integer));
      tile.bound = joined(tile.bound, bound_of(integer));
    }
    return put_rounded(dst, std::move(tile));
  }
  Tile result = of_integers(kind, a, b, type);
  const bool is_held = is_integer(to) && holds_integers(to, Operand{.dtype = type});
  is_held ? put(dst, std::move(result)) : put_rounded(dst, std::move(result));
}

// Exclusive or with all ones.
void FieldRun::evaluate(const TileBitNot& op) {
  const Operand src = operand(op.src, shape_of(box(op.dst)));
  const Operand ones{.tile = filled(src.tile.shape, -1),
                     .dtype = DType::i64,
                     .is_known = true,
                     .integers = std::vector<std::int64_t>(src.tile.p.size(), -1)};
  integers(IntegerBinary::bit_xor, op.dst, src, ones, src.dtype);
}

void FieldRun::evaluate(const Truncate& op) {
  const DType to = type_of(op.dst);
  Operand src = operand(op.src, shape_of(box(op.dst)));
  if (src.is_known && is_integer(src.dtype)) return leave(op.dst);
  const bool is_exact = src.dtype == to || (is_integer(src.dtype) && holds_integers(to, src)) ||
                        (src.is_known && is_held_by(to, src.literal)) || src.tile.bound.is_truth;
  is_exact ? put(op.dst, std::move(src.tile))
           : put(op.dst,
                 arithmetic_.unknown(fmt::format("truncate to {}", name(to)), std::move(src.tile)));
}

}  // namespace tessera::fields
