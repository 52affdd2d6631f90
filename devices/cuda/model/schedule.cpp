#include "devices/cuda/model/schedule.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace tessera::cuda {
namespace {

constexpr int max_walked = 1 << 15;  // about 250 tiles per multiprocessor

Pair pair_of(Pairing pairing) {
  return pairing == Pairing::rows      ? Pair::rows
         : pairing == Pairing::columns ? Pair::columns
                                       : Pair::none;
}

}  // namespace

double TileClocks::all() const {
  double sum = 0;
  for (const double c : clocks) sum += c;
  return sum * grid.columns;
}

double makespan(const TileClocks& tiles, const MachineHints& hints, int multiprocessors) {
  const Pair pair = pair_of(hints.pairing);
  const int together = pair == Pair::none ? 1 : 2;
  const int band = pair == Pair::rows ? (hints.band + 1) / 2 : hints.band;
  const TileGrid turns = pairs_of(tiles.grid, pair);
  const int count = tile_count(turns), walked = std::min(count, max_walked);
  const int workers = std::max(multiprocessors / together, 1);
  // The CTAs of a pair start and end together.
  double walked_clocks = 0;
  const auto turn_clocks = [&](int index) {
    const TilePoint at = tile_at(turns, band, index);
    double longest = 0;
    for (int rank = 0; rank < together; ++rank) {
      const TilePoint mine = member(at, pair, rank);
      if (!is_inside(tiles.grid, mine)) continue;
      const double clocks = tiles.clocks[static_cast<std::size_t>(mine.outer) *
                                             static_cast<std::size_t>(tiles.grid.rows) +
                                         static_cast<std::size_t>(mine.row)];
      walked_clocks += clocks;
      longest = std::max(longest, clocks);
    }
    return longest;
  };
  double busy = 0;
  if (hints.dynamic) {
    // A CTA takes its next number when it starts a tile, so it has its tile and the next one.
    using Free = std::pair<double, int>;  // time, and the number taken
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
    for (int i = 0; i < workers; ++i) free.push({0, i});
    int taken = workers;
    while (!free.empty()) {
      const auto [begin, number] = free.top();
      free.pop();
      if (number >= walked) continue;
      const double end = begin + turn_clocks(number);
      busy = std::max(busy, end);
      free.push({end, taken++});
    }
  } else {
    std::vector<double> ends(static_cast<std::size_t>(workers));
    for (int i = 0; i < walked; ++i) {
      double& end = ends[static_cast<std::size_t>(i % workers)];
      end += turn_clocks(i);
      busy = std::max(busy, end);
    }
  }
  if (walked == count) return busy;
  return busy * tiles.all() / walked_clocks;
}

}  // namespace tessera::cuda
