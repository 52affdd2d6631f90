// Rearranges the elements of tiles of shadow values. A tile type has a `shape`, `columns()` and
// `like(shape)`. columns() is a tuple of references to vectors; each is empty or has one entry per
// element, row-major. like() returns a tile without elements; other members are copied.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/shadow/rectangle.h"

namespace tessera::shadow {

// Returns a tile of this shape with the columns f(column). Empty columns stay empty.
template <typename Tile, typename F>
Tile with_columns(const Tile& tile, const Extents& shape, F&& f) {
  Tile result = tile.like(shape);
  const auto each = [&](const auto& from, auto& to) {
    if (!from.empty()) to = f(from);
  };
  std::apply(
      [&](const auto&... from) {
        std::apply([&](auto&... to) { (each(from, to), ...); }, result.columns());
      },
      tile.columns());
  return result;
}

// Returns a tile of this shape with elements of `tile`. for_each(g) must call g(position in the
// result, position in `tile`) for each element. It is called once for each column.
template <typename Tile, typename ForEach>
Tile picked(const Tile& tile, const Extents& shape, ForEach&& for_each) {
  return with_columns(tile, shape, [&](const auto& from) {
    std::decay_t<decltype(from)> to(static_cast<std::size_t>(elements_of(shape)));
    for_each([&](std::size_t here, std::size_t there) { to[here] = from[there]; });
    return to;
  });
}

// The tile, broadcast to a shape. Requires can_repeat().
template <typename Tile>
Tile repeated(Tile tile, const Extents& shape) {
  if (tile.shape == shape) return tile;
  return with_columns(tile, shape, [&](const auto& from) {
    std::decay_t<decltype(from)> to(static_cast<std::size_t>(elements_of(shape)), from[0]);
    if (from.size() > 1)
      for_each_repeated(tile.shape, shape,
                        [&](std::size_t here, std::size_t there) { to[here] = from[there]; });
    return to;
  });
}

// Returns the tile with permuted dimensions, as permuted() of rectangle.h.
template <typename Tile>
Tile permuted(const Tile& tile, const std::vector<int>& order) {
  return with_columns(tile, permuted(tile.shape, order),
                      [&](const auto& all) { return permuted(all, tile.shape, order); });
}

// Returns the elements of a rectangle of a plane.
template <typename Tile>
Tile gathered(const Tile& plane, const Box& box) {
  return with_columns(plane, shape_of(box),
                      [&](const auto& all) { return gathered(all, plane.shape, box); });
}

// Stores a tile in a rectangle of a plane. Columns that are empty in the plane are skipped; the
// others must not be empty in the tile.
template <typename Tile>
void scatter(Tile& plane, const Box& box, const Tile& tile) {
  const auto each = [&](auto& to, const auto& from) {
    if (!to.empty()) scatter(to, plane.shape, box, from);
  };
  std::apply(
      [&](const auto&... from) {
        std::apply([&](auto&... to) { (each(to, from), ...); }, plane.columns());
      },
      tile.columns());
}

}  // namespace tessera::shadow
