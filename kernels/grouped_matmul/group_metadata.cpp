#include "kernels/grouped_matmul/group_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/report/try.h"

namespace tessera {
namespace {

using Ids = std::vector<std::int64_t>;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Returns each index i counts[i] times, in order; truncated, or padded with `fill`, to `length`.
Ids repeat(const Ids& counts, std::int64_t length, std::int64_t fill) {
  Ids ids;
  ids.reserve(index(length));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t room = length - static_cast<std::int64_t>(ids.size());
    ids.insert(ids.end(), index(std::min(counts[i], room)), static_cast<std::int64_t>(i));
  }
  ids.resize(index(length), fill);
  return ids;
}

Expected<void> check_groups(std::span<const std::int64_t> sizes, std::int64_t m, std::int64_t tm,
                            std::int64_t first, std::int64_t count) {
  const auto groups = static_cast<std::int64_t>(sizes.size());
  if (groups == 0) return error("group metadata needs at least one group");
  if (tm <= 0) return error(fmt::format("tile size tm = {} is not positive", tm));
  if (m < 0) return error(fmt::format("m = {} is negative", m));
  if (m % tm != 0)
    return error(fmt::format("{} must be divisible by x-dimension tile size ({}).", m, tm));
  std::int64_t sum = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t size = sizes[index(g)];
    if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
    if (size > m - sum) return error(fmt::format("the group sizes sum to more than m = {}", m));
    sum += size;
  }
  if (first < 0 || count < 0 || count > groups - first) {
    return error(
        fmt::format("groups {} .. {} are not among the {} groups", first, first + count, groups));
  }
  return {};
}

}  // namespace

Expected<GroupMetadata> make_group_metadata(std::span<const std::int64_t> sizes, std::int64_t m,
                                            std::int64_t tm, std::int64_t first, std::int64_t count,
                                            EmptyGroups empty) {
  TRY(check_groups(sizes, m, tm, first, count));
  const auto groups = static_cast<std::int64_t>(sizes.size());
  // Without rows there is one empty tile, for the visits of empty groups.
  const std::int64_t m_tiles = std::max<std::int64_t>(m / tm, 1), length = m_tiles + groups - 1;
  const std::int64_t empty_tiles = empty == EmptyGroups::visited ? 1 : 0;

  GroupMetadata result;
  Ids& offsets = result.group_offsets;
  offsets.resize(index(groups + 1));
  for (std::int64_t g = 0; g < groups; ++g)
    offsets[index(g + 1)] = offsets[index(g)] + sizes[index(g)];

  Ids tiles(index(groups)), visits(index(m_tiles), 1);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t begin = offsets[index(g)], end = offsets[index(g + 1)], tile = begin / tm;
    const bool has_rows = end > begin;
    tiles[index(g)] = has_rows ? (end + tm - 1) / tm - tile : empty_tiles;
    // A tile has one more visit for each group that begins inside it, and for each visited empty
    // group there.
    if (tile < m_tiles) visits[index(tile)] += has_rows ? (begin % tm != 0 ? 1 : 0) : empty_tiles;
  }

  result.group_ids = repeat(tiles, length, groups - 1);
  result.m_tile_ids = repeat(visits, length, m_tiles - 1);
  const auto before = std::count_if(result.group_ids.begin(), result.group_ids.end(),
                                    [&](std::int64_t id) { return id < first; });
  std::rotate(result.group_ids.begin(), result.group_ids.begin() + before, result.group_ids.end());
  std::rotate(result.m_tile_ids.begin(), result.m_tile_ids.begin() + before,
              result.m_tile_ids.end());
  for (std::int64_t g = first; g < first + count; ++g) result.num_tiles += tiles[index(g)];
  return result;
}

}  // namespace tessera
