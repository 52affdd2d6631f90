// Ops over the field that go along dimensions: permutations, reductions, products.
#include "core/program/reshape.h"
#include "interp/field/exact.h"
#include "interp/field/field_run.h"

namespace tessera::fields {

void FieldRun::permute(const Slice& dst, const Slice& source, const std::vector<int>& order) {
  const Operand src = operand(source);
  if (src.tile.shape.size() != order.size()) return refuse_operands();
  if (src.is_known && is_integer(type_of(dst))) return leave(dst);
  Tile tile = permuted(src.tile, order);
  src.dtype == type_of(dst) ? put(dst, std::move(tile)) : put_rounded(dst, std::move(tile));
}

void FieldRun::evaluate(const Permute& op) {
  permute(op.dst, op.src, permutation(op, static_cast<int>(shape_of(box(op.src)).size())));
}

void FieldRun::reduce(Reduction kind, std::int64_t along, const Slice& dst, const Slice& src) {
  const Operand x = operand(src);
  const bool are_integers = is_integer(x.dtype) && is_integer(type_of(dst));
  if (x.is_known && are_integers) return leave(dst);
  const bool is_sum = kind == Reduction::sum;
  const auto dim = static_cast<std::size_t>(along);
  if (x.tile.bound.is_truth && !is_sum)
    return put(dst, arithmetic_.of_truths(kind == Reduction::max, x.tile, dim));
  if (is_integer(x.dtype) && !is_sum)
    return refuse("the largest of integers that floats made has no rule over the field");
  Tile tile = is_sum ? arithmetic_.sum(x.tile, dim)
                     : arithmetic_.outermost(kind == Reduction::max, x.tile, dim);
  const bool is_exact =
      (are_integers && holds_integers(type_of(dst), x)) || (!is_sum && x.dtype == type_of(dst));
  is_exact ? put(dst, std::move(tile)) : put_rounded(dst, std::move(tile));
}

void FieldRun::evaluate(const Matmul& op) {
  Operand a = operand(op.a), b = operand(op.b);
  Operand acc = operand(op.acc);
  if (acc.is_known && a.is_known && b.is_known) return leave(op.acc);
  const std::vector<int> exchanged = beside::last_two_exchanged(acc.tile.shape.size());
  if (op.transpose_a != 0) a.tile = permuted(a.tile, exchanged);
  if (op.transpose_b != 0) b.tile = permuted(b.tile, exchanged);
  if (!beside::product_extents(acc.tile.shape, a.tile.shape, b.tile.shape))
    return refuse_operands();
  put(op.acc, arithmetic_.product(std::move(acc.tile), a.tile, b.tile));
}

}  // namespace tessera::fields
