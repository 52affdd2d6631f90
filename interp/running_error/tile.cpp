#include "interp/running_error/tile.h"

#include <algorithm>
#include <utility>

namespace tessera::running_error {
namespace {

template <typename T>
std::vector<T> repeated(const std::vector<T>& all, const Extents& from, const Extents& to) {
  if (all.empty()) return {};
  std::vector<T> result(static_cast<std::size_t>(beside::elements_of(to)));
  beside::for_each_repeated(
      from, to, [&](std::size_t here, std::size_t there) { result[here] = all[there]; });
  return result;
}

}  // namespace

Tile of_bounds(Extents shape, std::vector<Bound> bounds) {
  if (std::all_of(bounds.begin(), bounds.end(), [](Bound bound) { return bound == 0; }))
    bounds.clear();
  return {std::move(shape), std::move(bounds), {}, DType::f32};
}

Tile repeated(const Tile& tile, const Extents& shape) {
  if (tile.shape == shape) return tile;
  return {shape, repeated(tile.bounds, tile.shape, shape), repeated(tile.values, tile.shape, shape),
          tile.dtype};
}

Tile transposed(const Tile& tile) {
  const std::int64_t rows = tile.shape[0], cols = tile.shape[1];
  const auto turned = [&](const auto& all) {
    return all.empty() ? all : beside::transposed(all, rows, cols);
  };
  return {{cols, rows}, turned(tile.bounds), turned(tile.values), tile.dtype};
}

}  // namespace tessera::running_error
