// How the kernel of a product is cut into tiles and uses its machine: what a caller gives, a model
// ranks, tuning measures and a cache keeps. It never changes a result.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>

#include "core/kernel/machine_hints.h"
#include "core/kernel/tiling.h"

namespace tessera {

// One configuration.
struct KernelConfig {
  Tiling tiling;             // extents of a tile, in elements
  std::int64_t buffers = 2;  // slots of each input window
  // gmm: the first row of each tile is a multiple of it, in rows; at least 1. None: of the tile's
  // m.
  std::optional<std::int64_t> align;
  MachineHints hints;  // beside the tiles; the defaults hold everywhere

  bool operator==(const KernelConfig&) const = default;
};

// The configuration with each extent of its tile at most that of the product. m is that of the
// padded operands.
KernelConfig clamped(const KernelConfig& config, std::int64_t m, std::int64_t k, std::int64_t n);

// "128,64,256, 4 buffers, pairs along the rows": for tables and reports.
std::string to_string(const KernelConfig& config);

}  // namespace tessera
