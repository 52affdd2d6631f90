#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/data/splitmix.h"
#include "kernels/grouped_matmul/group_metadata.h"

namespace tessera {
namespace {

using Ids = std::vector<std::int64_t>;
using enum EmptyGroups;

GroupMetadata metadata(const Ids& sizes, std::int64_t m, std::int64_t tm, std::int64_t first,
                       std::int64_t count, EmptyGroups empty) {
  Expected<GroupMetadata> result = make_group_metadata(sizes, m, tm, first, count, empty);
  EXPECT_TRUE(result) << (result ? "" : result.diags()[0].message);
  return result ? *result : GroupMetadata{};
}

std::string message(const Ids& sizes, std::int64_t m, std::int64_t tm, std::int64_t first,
                    std::int64_t count) {
  const Expected<GroupMetadata> result = make_group_metadata(sizes, m, tm, first, count, skipped);
  if (result) return "";
  EXPECT_EQ(result.diags()[0].code, ErrorCode::invalid_value);
  return result.diags()[0].message;
}

// The method of the original sources, with exact bins: a histogram of the tiles in which groups
// begin.
Ids histogram_tiles(const Ids& sizes, std::int64_t m, std::int64_t tm, EmptyGroups empty) {
  const std::int64_t tiles = m / tm, length = tiles + static_cast<std::int64_t>(sizes.size()) - 1;
  Ids bins(static_cast<std::size_t>(tiles), 1);
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    const bool counts = size > 0 ? begin % tm != 0 : empty == visited;
    if (counts && begin / tm < tiles) ++bins[static_cast<std::size_t>(begin / tm)];
    begin += size;
  }
  Ids ids;
  for (std::int64_t t = 0; t < tiles; ++t)
    ids.insert(ids.end(), static_cast<std::size_t>(bins[static_cast<std::size_t>(t)]), t);
  ids.resize(static_cast<std::size_t>(length), tiles - 1);
  return ids;
}

void expect_invariants(const Ids& sizes, std::int64_t m, std::int64_t tm, std::int64_t first,
                       std::int64_t count, EmptyGroups empty) {
  const GroupMetadata got = metadata(sizes, m, tm, first, count, empty);
  const auto steps = static_cast<std::size_t>(got.num_tiles);
  const std::size_t length =
      static_cast<std::size_t>(std::max<std::int64_t>(m / tm, 1)) + sizes.size() - 1;
  ASSERT_EQ(got.group_ids.size(), length);
  ASSERT_EQ(got.m_tile_ids.size(), length);
  ASSERT_LE(steps, length);
  EXPECT_TRUE(std::is_sorted(got.group_ids.begin(), got.group_ids.begin() + got.num_tiles));
  EXPECT_TRUE(std::is_sorted(got.m_tile_ids.begin(), got.m_tile_ids.begin() + got.num_tiles));
  std::vector<int> covered(static_cast<std::size_t>(m));
  for (std::size_t step = 0; step < steps; ++step) {
    const std::int64_t group = got.group_ids[step], tile = got.m_tile_ids[step];
    ASSERT_TRUE(first <= group && group < first + count);
    const auto g = static_cast<std::size_t>(group);
    if (sizes[g] == 0) continue;
    const std::int64_t begin = std::max(got.group_offsets[g], tile * tm);
    const std::int64_t end = std::min(got.group_offsets[g + 1], (tile + 1) * tm);
    EXPECT_LT(begin, end);
    for (std::int64_t row = begin; row < end; ++row) ++covered[static_cast<std::size_t>(row)];
  }
  const std::int64_t begin = got.group_offsets[static_cast<std::size_t>(first)];
  const std::int64_t end = got.group_offsets[static_cast<std::size_t>(first + count)];
  for (std::int64_t row = 0; row < m; ++row) {
    ASSERT_EQ(covered[static_cast<std::size_t>(row)], row >= begin && row < end ? 1 : 0)
        << "row " << row;
  }
}

TEST(GroupMetadata, rows_are_covered_once_whatever_the_sizes) {
  SplitMix random(7);
  for (int round = 0; round < 400; ++round) {
    const auto groups = static_cast<std::int64_t>(1 + random.next() % 9);
    const auto tm = static_cast<std::int64_t>(1 + random.next() % 16);
    const auto tiles = static_cast<std::int64_t>(random.next() % 12);
    const std::int64_t m = tiles * tm;
    Ids sizes(static_cast<std::size_t>(groups));
    std::int64_t left = m;
    for (std::int64_t& size : sizes) {
      size = random.next() % 3 == 0
                 ? 0
                 : static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(left + 1));
      left -= size;
    }
    if (random.next() % 2 == 0) sizes.back() += left;
    const auto first =
        static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(groups));
    const auto count =
        static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(groups - first + 1));
    expect_invariants(sizes, m, tm, first, count, skipped);
    expect_invariants(sizes, m, tm, first, count, visited);
  }
}

TEST(GroupMetadata, large_tile_counts_land_in_their_bins) {
  // From 4142 tiles on, float32 bin edges put some tiles into the wrong bin.
  for (const std::int64_t tiles : {4142, 8192, 16384}) {
    const std::int64_t tm = 16, m = tiles * tm;
    SplitMix random(static_cast<std::uint64_t>(tiles));
    Ids sizes;
    std::int64_t left = m;
    while (left > 0) {
      sizes.push_back(std::min<std::int64_t>(left, static_cast<std::int64_t>(random.next() % 40)));
      left -= sizes.back();
    }
    const auto groups = static_cast<std::int64_t>(sizes.size());
    for (const EmptyGroups empty : {skipped, visited}) {
      const GroupMetadata got = metadata(sizes, m, tm, 0, groups, empty);
      EXPECT_EQ(got.m_tile_ids, histogram_tiles(sizes, m, tm, empty)) << tiles;
    }
    expect_invariants(sizes, m, tm, 0, groups, skipped);
  }
}

TEST(GroupMetadata, what_it_cannot_cut_is_an_error) {
  EXPECT_EQ(message({100, 200}, 300, 128, 0, 2),
            "300 must be divisible by x-dimension tile size (128).");
  EXPECT_EQ(message({100}, 128, 0, 0, 1), "tile size tm = 0 is not positive");
  EXPECT_EQ(message({100, -1}, 128, 128, 0, 2), "group_sizes[1] = -1 is negative");
  EXPECT_EQ(message({100, 29}, 128, 128, 0, 2), "the group sizes sum to more than m = 128");
  EXPECT_EQ(message({INT64_MAX, INT64_MAX}, 128, 128, 0, 2),
            "the group sizes sum to more than m = 128");
  EXPECT_EQ(message({100, 28}, 128, 128, 1, 2), "groups 1 .. 3 are not among the 2 groups");
  EXPECT_EQ(message({100, 28}, 128, 128, -1, 1), "groups -1 .. 0 are not among the 2 groups");
  EXPECT_EQ(message({}, 128, 128, 0, 0), "group metadata needs at least one group");
}

TEST(GroupMetadata, no_rows_and_no_groups_in_the_window_give_no_steps) {
  EXPECT_EQ(metadata({0, 0}, 0, 128, 0, 2, skipped).num_tiles, 0);
  EXPECT_EQ(metadata({5, 3}, 8, 8, 1, 0, skipped).num_tiles, 0);
}

}  // namespace
}  // namespace tessera
