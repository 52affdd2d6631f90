// Tile ops whose result has another shape than their operands: permutations, reductions, products.
#include <algorithm>
#include <vector>

#include "core/program/reshape.h"
#include "interp/exec/by_shape.h"
#include "interp/exec/tile_operands.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes sizes_of(const TileView& view) { return {view.size.begin(), view.size.begin() + view.rank}; }

// Shape of an operand or of the result of a matmul: the leading dimensions of the left operand,
// then rows and columns.
Sizes like(const TileView& left, std::int64_t rows, std::int64_t columns) {
  Sizes sizes = sizes_of(left);
  sizes[sizes.size() - 2] = rows;
  sizes[sizes.size() - 1] = columns;
  return sizes;
}

}  // namespace

Step permute(const Op& op, const Slice& target, const Slice& source, Core& core) {
  const TileView src = core.read(source), dst = core.write(target);
  if (core.stopped()) return Step::stop;
  const std::vector<int> order = permutation(op, src.rank);
  Sizes wanted;
  for (const int d : order) wanted.push_back(src.size[Box::at(d)]);
  if (!has_shape(core, "the result", dst, wanted)) return Step::stop;
  tile::permute(dst, src, order, core.tile_context());
  return Step::next;
}

Step reduce(shapes::Reduction kind, std::int64_t dim, const Slice& target, const Slice& source,
            Core& core) {
  const TileView src = core.read(source), dst = core.write(target);
  if (core.stopped()) return Step::stop;
  Sizes wanted = sizes_of(src);
  wanted[static_cast<std::size_t>(dim)] = 1;
  if (!has_shape(core, "the result", dst, wanted)) return Step::stop;
  tile::reduce(kind, static_cast<int>(dim), dst, src, core.tile_context());
  return Step::next;
}

Step exec(const Matmul& op, Core& core) {
  const bool ta = op.transpose_a != 0, tb = op.transpose_b != 0;
  const TileView a = core.read(op.a), b = core.read(op.b), acc = core.update(op.acc);
  if (core.stopped()) return Step::stop;
  const int rows = a.rank - 2, columns = a.rank - 1;
  const auto size = [](const TileView& view, int d) { return view.size[Box::at(d)]; };
  const std::int64_t m = size(a, ta ? columns : rows), k = size(a, ta ? rows : columns),
                     n = size(b, tb ? rows : columns);
  if (!has_shape(core, "the right operand", b, like(a, tb ? n : k, tb ? k : n)) ||
      !has_shape(core, "the accumulator", acc, like(a, m, n)))
    return Step::stop;
  tile::matmul(acc, a, b, {.a = ta, .b = tb}, core.tile_context());
  core.machine().stats().matmul_flops += 2 * acc.elements() * k;
  return Step::next;
}

}  // namespace tessera
