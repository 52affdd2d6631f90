// Assignment of m tiles to groups: the Pallas function make_group_metadata, with integer arithmetic
// only.
#pragma once  // public
#include <cstdint>
#include <span>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

// Scalars that a kernel with the grid of the Pallas grouped matmuls prefetches, for G groups. Both
// id arrays have max(m / tm, 1) + G - 1 entries. Only the first `num_tiles` entries are used; the
// rest is padding.
struct GroupMetadata {
  // [G + 1]: first row of each group, processed or not, then the sum of the sizes.
  std::vector<std::int64_t> group_offsets;
  std::vector<std::int64_t> group_ids;   // group of each grid step
  std::vector<std::int64_t> m_tile_ids;  // tile (of tm rows) of each grid step
  std::int64_t num_tiles = 0;            // grid steps along m
};

// Whether empty groups have a grid step. tgmm needs `visited`: it writes a zero block for each.
enum class EmptyGroups : std::uint8_t { skipped, visited };

// Returns the grid steps that compute the groups first .. first + count - 1, for m rows in tiles of
// tm rows. sizes: rows of each group. The steps of other groups that follow are unused. Fails if tm
// is not positive or does not divide m, if m or a size is negative, if there is no group, if the
// sizes sum to more than m, or if a group first .. first + count - 1 does not exist.
Expected<GroupMetadata> make_group_metadata(std::span<const std::int64_t> sizes, std::int64_t m,
                                            std::int64_t tm, std::int64_t first, std::int64_t count,
                                            EmptyGroups empty);

}  // namespace tessera
