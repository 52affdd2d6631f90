// The golden vectors of make_group_metadata, fill and rotation included.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/grouped_matmul/group_metadata.h"

namespace tessera {
namespace {

using Ids = std::vector<std::int64_t>;

struct Golden {
  const char* name;
  std::int64_t m, tm;
  Ids sizes;
  std::int64_t first, count;
  EmptyGroups empty;
  Ids offsets, group_ids, m_tile_ids;
  std::int64_t num_tiles;
};

using enum EmptyGroups;

// clang-format off
const Golden golden[] = {
    {"aligned_and_empty", 512, 128, {100, 0, 200, 212}, 0, 4, skipped, {0, 100, 100, 300, 512},
     {0, 2, 2, 2, 3, 3, 3}, {0, 0, 1, 2, 2, 3, 3}, 6},
    {"empty_group_visited", 512, 128, {100, 0, 200, 212}, 0, 4, visited, {0, 100, 100, 300, 512},
     {0, 1, 2, 2, 2, 3, 3}, {0, 0, 0, 1, 2, 2, 3}, 7},
    {"one_group_has_all", 512, 128, {0, 0, 512, 0}, 0, 4, skipped, {0, 0, 0, 512, 512},
     {2, 2, 2, 2, 3, 3, 3}, {0, 1, 2, 3, 3, 3, 3}, 4},
    {"one_group_has_all_visited", 512, 128, {0, 0, 512, 0}, 0, 4, visited, {0, 0, 0, 512, 512},
     {0, 1, 2, 2, 2, 2, 3}, {0, 0, 0, 1, 2, 3, 3}, 7},
    {"last_two_groups", 512, 128, {100, 0, 200, 212}, 2, 2, skipped, {0, 100, 100, 300, 512},
     {2, 2, 2, 3, 3, 3, 0}, {0, 1, 2, 2, 3, 3, 0}, 5},
    {"middle_groups_visited", 512, 128, {100, 0, 200, 212}, 1, 2, visited, {0, 100, 100, 300, 512},
     {1, 2, 2, 2, 3, 3, 0}, {0, 0, 1, 2, 2, 3, 0}, 4},
    {"many_groups_in_a_tile", 128, 128, {1, 1, 1, 1, 1, 1, 1, 1}, 0, 8, skipped, {0, 1, 2, 3, 4, 5, 6, 7, 8},
     {0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 0, 0, 0, 0, 0, 0}, 8},
    {"rows_beyond_the_sum", 256, 128, {64, 0, 0}, 0, 3, skipped, {0, 64, 64, 64}, {0, 2, 2, 2}, {0, 1, 1, 1}, 1},
};
// clang-format on

class GroupMetadataGolden : public testing::TestWithParam<Golden> {};

TEST_P(GroupMetadataGolden, equals_the_sources) {
  const Golden& want = GetParam();
  const Expected<GroupMetadata> got =
      make_group_metadata(want.sizes, want.m, want.tm, want.first, want.count, want.empty);
  ASSERT_TRUE(got) << got.diags()[0].message;
  EXPECT_EQ(got->group_offsets, want.offsets);
  EXPECT_EQ(got->group_ids, want.group_ids);
  EXPECT_EQ(got->m_tile_ids, want.m_tile_ids);
  EXPECT_EQ(got->num_tiles, want.num_tiles);
}

INSTANTIATE_TEST_SUITE_P(Conformance, GroupMetadataGolden, testing::ValuesIn(golden),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera
