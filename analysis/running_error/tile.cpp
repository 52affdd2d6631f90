#include "analysis/running_error/tile.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tessera::running_error {

void Tile::simplify() {
  if (std::all_of(bounds.begin(), bounds.end(), [](Bound bound) { return bound == 0; }))
    bounds.clear();
}

Tile matrix_of(const Tile& tile, std::size_t index) {
  const Extents shape(tile.shape.end() - 2, tile.shape.end());
  const auto size = static_cast<std::size_t>(shadow::elements_of(shape));
  const auto part = [&](const auto& all) {
    using All = std::decay_t<decltype(all)>;
    if (all.empty()) return All();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(index * size);
    return All(first, first + static_cast<std::ptrdiff_t>(size));
  };
  return {shape, part(tile.bounds), part(tile.values), tile.dtype};
}

}  // namespace tessera::running_error
