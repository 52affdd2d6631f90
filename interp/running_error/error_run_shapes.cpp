// Permutations, reductions and products: what they do to bounds.
#include "core/program/reshape.h"
#include "interp/running_error/put_each.h"

namespace tessera::running_error {

void ErrorRun::permute(const Slice& dst, const Slice& source, const std::vector<int>& order) {
  const Tile from = operand(source);
  if (from.shape.size() != order.size()) return refuse("operands do not fit each other");
  const Tile src = permuted(from, order);
  if (src.is_exact() && src.dtype == type_of(dst)) return leave_exact(dst);
  put_each(dst, [&](std::size_t i) { return src.at(i); });
}

void ErrorRun::evaluate(const Permute& op) {
  permute(op.dst, op.src, permutation(op, static_cast<int>(beside::shape_of(box(op.src)).size())));
}

void ErrorRun::reduce(Reduction kind, std::int64_t dim, const Slice& dst, const Slice& src) {
  const Tile x = operand(src);
  if (x.is_exact() && is_integer(x.dtype) && is_integer(type_of(dst))) return leave_exact(dst);
  const beside::Lines lines = beside::lines_along(x.shape, static_cast<std::size_t>(dim));
  const auto inner = static_cast<std::size_t>(lines.inner),
             terms = static_cast<std::size_t>(lines.extent);
  const bool are_integers = is_integer(x.dtype);
  std::vector<Number> line(terms);
  put_each(dst, [&](std::size_t i) {
    for (std::size_t j = 0; j < terms; ++j)
      line[j] = x.at((i / inner * terms + j) * inner + i % inner);
    return kind == Reduction::sum ? rules_.sum(line, are_integers)
                                  : rules_.outermost(kind == Reduction::max, line);
  });
}

void ErrorRun::evaluate(const Matmul& op) {
  Tile a = operand(op.a), b = operand(op.b);
  const Tile acc = operand(op.acc);
  const std::vector<int> exchanged = beside::last_two_exchanged(acc.shape.size());
  if (op.transpose_a != 0) a = permuted(a, exchanged);
  if (op.transpose_b != 0) b = permuted(b, exchanged);
  if (a.is_exact() && b.is_exact() && acc.is_exact() && is_integer(acc.dtype))
    return leave_exact(op.acc);
  const auto extents = beside::product_extents(acc.shape, a.shape, b.shape);
  if (!extents) return refuse("operands do not fit each other");
  if (acc.shape.size() == 2) return put(op.acc, acc.shape, rules_.product(acc, a, b));
  std::vector<Bound> bounds;
  for (std::size_t i = 0; i < static_cast<std::size_t>(extents->products); ++i) {
    const std::vector<Bound> one =
        rules_.product(matrix_of(acc, i), matrix_of(a, i), matrix_of(b, i));
    bounds.insert(bounds.end(), one.begin(), one.end());
  }
  put(op.acc, acc.shape, std::move(bounds));
}

}  // namespace tessera::running_error
