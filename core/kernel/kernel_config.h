// How the kernel of a product is cut into tiles and uses its machine: what a caller gives, a model
// ranks, tuning measures and a cache keeps. It never changes a result.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>

#include "core/kernel/machine_hints.h"
#include "core/kernel/tiling.h"

namespace tessera {

struct KernelConfig {
  Tiling tiling;
  std::int64_t buffers = 2;  // slots of each input window
  // Products of rows: first rows of tiles are multiples of it; none: of the tile's m.
  std::optional<std::int64_t> align;
  MachineHints hints;

  bool operator==(const KernelConfig&) const = default;
};

// Blocks no larger than the product: m tiles of 128 of a problem with 60 rows have 60 rows after
// padding to 128, so the padded m decides.
KernelConfig clamped(const KernelConfig& config, std::int64_t m, std::int64_t k, std::int64_t n);

// "128,64,256, 4 buffers, pairs along the rows": for tables and reports.
std::string to_string(const KernelConfig& config);

}  // namespace tessera
