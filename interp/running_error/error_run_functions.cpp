// Functions of single elements, and ops of integers alone: what they do to bounds.
#include "core/program/refs.h"
#include "interp/running_error/put_each.h"

namespace tessera::running_error {

void ErrorRun::function(Function f, const Slice& dst, const Slice& src) {
  const Tile x = as_f32(operand(src, beside::shape_of(box(dst))));
  put_each(dst, [&](std::size_t i) { return rules_.function(f, x.at(i)); });
}

void ErrorRun::evaluate(const IsFinite& op) {
  const Tile x = as_f32(operand(op.src, beside::shape_of(box(op.dst))));
  put_each(op.dst, [&](std::size_t i) { return rules_.is_finite(x.at(i)); });
}

void ErrorRun::evaluate(const Pow& op) {
  const Extents shape = beside::shape_of(box(op.dst));
  const Tile a = as_f32(operand(op.a, shape)), b = as_f32(operand(op.b, shape));
  put_each(op.dst, [&](std::size_t i) { return rules_.power(a.at(i), b.at(i)); });
}

void ErrorRun::evaluate(const Truncate& op) {
  const DType to = type_of(op.dst);
  const Tile src = operand(op.src, beside::shape_of(box(op.dst)));
  if (src.is_exact() && is_integer(src.dtype)) return leave_exact(op.dst);
  put_each(op.dst, [&](std::size_t i) { return rules_.cut_off(src.at(i), src.dtype, to); });
}

void ErrorRun::integers(tile::IntegerBinary kind, const Slice& dst, const Slice& first,
                        const Slice& second) {
  const Extents shape = beside::shape_of(box(dst));
  const Tile a = operand(first, shape), b = operand(second, shape);
  if (a.is_exact() && b.is_exact() && is_integer(type_of(dst))) return leave_exact(dst);
  const DType type = tile::integer_type(kind, a.dtype, is_number(program(), first), b.dtype,
                                        is_number(program(), second));
  put_each(dst, [&](std::size_t i) { return rules_.of_bits(kind, a.at(i), b.at(i), type); });
}

void ErrorRun::evaluate(const TileBitNot& op) {
  const Tile src = operand(op.src, beside::shape_of(box(op.dst)));
  if (src.is_exact() && is_integer(type_of(op.dst))) return leave_exact(op.dst);
  put_each(op.dst, [&](std::size_t i) {
    return rules_.of_bits(tile::IntegerBinary::bit_xor, src.at(i), {-1, 0}, src.dtype);
  });
}

}  // namespace tessera::running_error
