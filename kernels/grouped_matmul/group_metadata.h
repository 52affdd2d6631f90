// Which m tile belongs to which group: make_group_metadata of the Pallas grouped matmuls, in whole
// numbers only.
#pragma once  // public
#include <cstdint>
#include <span>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

// The scalars that a kernel with the grid of the Pallas grouped matmuls prefetches, for G groups.
// The two id arrays have max(m / tm, 1) + G - 1 entries, of which the first `num_tiles` count and
// the rest is fill.
struct GroupMetadata {
  // [G + 1]: the first row of each group, of all groups, and the sum of the sizes.
  std::vector<std::int64_t> group_offsets;
  std::vector<std::int64_t> group_ids;   // the group of each grid step
  std::vector<std::int64_t> m_tile_ids;  // the tile of tm rows of each grid step
  std::int64_t num_tiles = 0;            // steps of the grid along m
};

// Whether empty groups take a grid step: `visited` for tgmm, which writes a zero block for each.
enum class EmptyGroups : std::uint8_t { skipped, visited };

// The steps that compute the groups first .. first + count - 1, of m rows in tiles of tm. An error
// unless tm divides m.
Expected<GroupMetadata> make_group_metadata(std::span<const std::int64_t> sizes, std::int64_t m,
                                            std::int64_t tm, std::int64_t first, std::int64_t count,
                                            EmptyGroups empty);

}  // namespace tessera
