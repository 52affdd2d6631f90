// Which m tile belongs to which group: make_group_metadata of the Pallas grouped matmuls, in whole
// numbers only.
#pragma once  // public
#include <cstdint>
#include <span>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

// What a kernel with the grid of the Pallas grouped matmuls prefetches. Only the first `num_tiles`
// entries of the two id arrays mean anything; the rest is fill, and both have max(m / tm, 1) + G -
// 1 entries.
struct GroupMetadata {
  std::vector<std::int64_t>
      group_offsets;  // G + 1; of all groups, whatever the window; the last is the sizes' sum
  std::vector<std::int64_t> group_ids;  // of each grid step
  std::vector<std::int64_t> m_tile_ids;
  std::int64_t num_tiles = 0;  // the grid's bound
};

// Empty groups take a step of their own when `visited`, so that tgmm can write their zero block.
enum class EmptyGroups : std::uint8_t { skipped, visited };

// For the groups first .. first + count - 1. m must be a multiple of tm.
Expected<GroupMetadata> make_group_metadata(std::span<const std::int64_t> sizes, std::int64_t m,
                                            std::int64_t tm, std::int64_t first, std::int64_t count,
                                            EmptyGroups empty);

}  // namespace tessera
