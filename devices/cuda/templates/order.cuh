// The order of tiles. Tiles that run at the same time should share operands in the L2 cache. The
// tiles of one outer index are visited in bands of rows, all columns of a band before the next
// band. Every other band is visited backwards: consecutive tiles are then neighbours in the
// plane.
#pragma once
#include "devices/cuda/templates/base.cuh"

namespace tessera::cuda {

// A grid of tiles. `rows` is the size of the loop that moves the left operand.
struct TileGrid {
  int outer, rows, columns;
};
struct TilePoint {
  int outer, row, column;
};

TESSERA_BOTH int tile_count(const TileGrid& grid) {
  return grid.outer <= 0 || grid.rows <= 0 || grid.columns <= 0
             ? 0
             : grid.outer * grid.rows * grid.columns;
}

// Tile at position `index` of [0, tile_count), for bands of `height` rows.
TESSERA_BOTH TilePoint tile_at(const TileGrid& grid, int height, int index) {
  const int plane = grid.rows * grid.columns;
  const int outer = index / plane;
  const int in_plane = index - outer * plane;
  const int band = in_plane / (height * grid.columns);
  const int first = band * height;
  const int rows = height < grid.rows - first ? height : grid.rows - first;
  const int in_band = in_plane - first * grid.columns;
  const int across = in_band / rows;
  const int column = band % 2 == 0 ? across : grid.columns - 1 - across;
  return {outer, first + (in_band - across * rows), column};
}

// Tiles that the CTAs of a cluster take together: two neighbours along the rows or the columns of
// the grid. The second tile of the last pair may be outside the grid.
enum class Pair { none, rows, columns };

TESSERA_BOTH TileGrid pairs_of(const TileGrid& grid, Pair pair) {
  return {grid.outer, pair == Pair::rows ? (grid.rows + 1) / 2 : grid.rows,
          pair == Pair::columns ? (grid.columns + 1) / 2 : grid.columns};
}
TESSERA_BOTH TilePoint member(const TilePoint& at, Pair pair, int rank) {
  return {at.outer, pair == Pair::rows ? at.row * 2 + rank : at.row,
          pair == Pair::columns ? at.column * 2 + rank : at.column};
}
TESSERA_BOTH bool is_inside(const TileGrid& grid, const TilePoint& at) {
  return at.row < grid.rows && at.column < grid.columns;
}

// A ring of slots. phase: parity of the barrier phase that the next wait is for.
template <int slots>
struct Ring {
  int slot = 0;
  u32 phase = 0;

  TESSERA_BOTH void advance() {
    if (++slot == slots) {
      slot = 0;
      phase ^= 1;
    }
  }
};

}  // namespace tessera::cuda
