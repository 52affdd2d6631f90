// Tile of a matmul-like kernel. The named extents prevent confusion of their order.
#pragma once  // public
#include <cstdint>
#include <string>

namespace tessera {

// Extents in elements: m and n of the result tile, k of one step along the contraction.
struct Tiling {
  // At least 1 each.
  std::int64_t m = 128, k = 128, n = 128;

  bool operator==(const Tiling&) const = default;
};

// Returns "tm,tk,tn": the order of the command line and of XLA's ragged_dot_tiling hint.
inline std::string to_string(const Tiling& tiling) {
  return std::to_string(tiling.m) + "," + std::to_string(tiling.k) + "," + std::to_string(tiling.n);
}

}  // namespace tessera
