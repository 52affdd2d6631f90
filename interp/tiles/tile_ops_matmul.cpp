// Matrix products, one for each index of the leading dimensions.
#include <vector>

#include "core/report/check.h"
#include "interp/tiles/tile_math.h"
#include "interp/tiles/tile_ops.h"
#include "interp/tiles/tile_ops_init.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

math::Matrix matrix(const TileView& view, const Index& index) {
  const auto rows = Box::at(view.rank - 2), columns = Box::at(view.rank - 1);
  return {view.data + offset_of(view, index) * size_of(view.dtype),
          view.dtype,
          view.size[rows],
          view.size[columns],
          view.stride[rows],
          view.stride[columns]};
}

}  // namespace

void matmul(const TileView& acc, const TileView& a, const TileView& b, Transposed transposed,
            const Context& context) {
  CHECK(acc.rank >= 2 && a.rank == acc.rank && b.rank == acc.rank);
  if (context.math != Math::none) {
    std::vector<std::byte> a_copy, b_copy;
    const TileView left = overlaps(a, acc) ? copy_of(a, a_copy) : a;
    const TileView right = overlaps(b, acc) ? copy_of(b, b_copy) : b;
    for_each_matrix(acc, [&](const Index& index) {
      const math::Matrix x = matrix(left, index), y = matrix(right, index);
      math::multiply_add(matrix(acc, index), transposed.a ? x.transposed() : x,
                         transposed.b ? y.transposed() : y, context.math);
    });
  }
  record_matmul(acc, a, b, transposed, context);
}

}  // namespace tessera::tile
