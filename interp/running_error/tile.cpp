#include "interp/running_error/tile.h"

#include <algorithm>
#include <type_traits>
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

Tile permuted(const Tile& tile, const std::vector<int>& order) {
  const auto turned = [&](const auto& all) {
    return all.empty() ? all : beside::permuted(all, tile.shape, order);
  };
  return {beside::permuted(tile.shape, order), turned(tile.bounds), turned(tile.values),
          tile.dtype};
}

Tile matrix_of(const Tile& tile, std::size_t index) {
  const Extents shape(tile.shape.end() - 2, tile.shape.end());
  const auto size = static_cast<std::size_t>(beside::elements_of(shape));
  const auto part = [&](const auto& all) {
    using All = std::decay_t<decltype(all)>;
    if (all.empty()) return All();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(index * size);
    return All(first, first + static_cast<std::ptrdiff_t>(size));
  };
  return {shape, part(tile.bounds), part(tile.values), tile.dtype};
}

}  // namespace tessera::running_error
