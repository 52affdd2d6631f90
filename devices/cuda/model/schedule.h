// How tiles of unequal length fill a machine: the kernel's own order of tiles (templates/order.cuh)
// walked by every multiprocessor, or pair of them, as templates/take.cuh hands them out.
#pragma once
#include <cstdint>
#include <vector>

#include "core/kernel/machine_hints.h"
#include "devices/cuda/templates/order.cuh"

namespace tessera::cuda {

// Tiles of the same row of one outer index take as long: clocks[outer * grid.rows + row].
struct TileClocks {
  TileGrid grid{};
  std::vector<double> clocks;

  double all() const;  // of every tile, summed
};

// Until the last multiprocessor is done. Very many tiles are walked in part, and the rest counted
// as if it filled the machine.
double makespan(const TileClocks& tiles, const MachineHints& hints, int multiprocessors);

}  // namespace tessera::cuda
