// Tiles and machine hints of a kernel. A configuration is set by the caller, ranked by a cost
// model, measured by tuning and stored in a cache. It never changes a result.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>

#include "core/kernel/machine_hints.h"
#include "core/kernel/tiling.h"

namespace tessera {

// Configuration of one kernel.
struct KernelConfig {
  Tiling tiling;             // extents of a tile, in elements
  std::int64_t buffers = 2;  // slots of each input window
  // gmm: the first row of each tile is a multiple of this number of rows; at least 1. None: the
  // tile's m.
  std::optional<std::int64_t> align;
  MachineHints hints;  // hints in addition to the tiles; every device accepts the defaults

  bool operator==(const KernelConfig&) const = default;
};

// Returns the configuration with k and n of its tile limited to the extents of the product (at
// least 1). The tile's m is unchanged, since operands are padded to whole tiles of rows.
KernelConfig clamped(KernelConfig config, std::int64_t k, std::int64_t n);

// Returns tile, buffers and hints as text: "128,64,256, 4 buffers, pairs along the rows". Does not
// show `align`.
std::string to_string(const KernelConfig& config);

}  // namespace tessera
