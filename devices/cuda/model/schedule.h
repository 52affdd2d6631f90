// Schedule of tiles of unequal length on a machine. Each multiprocessor, or pair of them, takes
// tiles in the kernel's order (templates/order.cuh), as in templates/take.cuh.
#pragma once
#include <cstdint>
#include <vector>

#include "core/kernel/machine_hints.h"
#include "devices/cuda/templates/order.cuh"

namespace tessera::cuda {

// Clocks of the tiles in one row of an outer index, which are equal: clocks[outer * grid.rows +
// row].
struct TileClocks {
  TileGrid grid{};
  std::vector<double> clocks;

  double all() const;  // sum of clocks over all tiles of all columns
};

// Returns the clocks until the last multiprocessor finishes, with the pairing, the band and the
// static or dynamic order of the hints. Above a limit on the number of tiles, the rest is
// extrapolated in proportion to its clocks.
double makespan(const TileClocks& tiles, const MachineHints& hints, int multiprocessors);

}  // namespace tessera::cuda
