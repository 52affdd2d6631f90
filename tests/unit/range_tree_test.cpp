// The range structures that replace pairwise comparison in the race analysis, compared with the
// pairs.
#include "analysis/certificate/races/range_tree.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/certificate/races/first_below.h"
#include "core/data/splitmix.h"

namespace tessera {
namespace {

Range random_range(SplitMix& random, int rank, std::int64_t size) {
  Range range{.core = CoreIndex(0), .owner = CoreIndex(0), .kind = ObjectKind::buffer, .object = 0};
  range.box.rank = static_cast<std::int8_t>(rank);
  for (int d = 0; d < rank; ++d) {
    const std::size_t i = Box::at(d);
    range.box.start[i] = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size)));
    range.box.size[i] = 1 + static_cast<std::int64_t>(random.below(
                                static_cast<std::uint64_t>(size - range.box.start[i])));
  }
  return range;
}

void collect(const RangeTrees& trees, RangeNodeId node, std::multiset<RangeNodeId>& ranges) {
  if (trees.is_range(node)) {
    ranges.insert(node);
    return;
  }
  for (const RangeNodeId child : trees.children(node)) {
    EXPECT_EQ(trees.parent(child), node);
    EXPECT_LT(child, node);
    collect(trees, child, ranges);
  }
}

TEST(range_trees, walk_goes_through_what_overlaps_and_nothing_else) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SplitMix random(seed);
    const int rank = 1 + static_cast<int>(seed % 3);
    const std::int64_t size = seed % 2 == 0 ? 6 : 60;
    Table<RangeId, Range> ranges;
    std::vector<RangeId> all;
    for (std::uint64_t n = 1 + random.below(200); n-- > 0;)
      all.push_back(ranges.add(random_range(random, rank, size)));
    RangeTrees trees(ranges);
    const RangeNodeId root = trees.add(all);
    const auto never = [](RangeNodeId) { return false; };
    for (const Range& asked : ranges) {
      std::multiset<RangeNodeId> met, expected;
      for (const RangeId r : all)
        if (intersects(ranges[r].box, asked.box)) expected.insert(RangeTrees::node_of(r));
      EXPECT_FALSE(trees.walk(root, asked.box, never, [&](RangeNodeId node) {
        collect(trees, node, met);
        return false;
      }));
      EXPECT_EQ(met, expected) << seed;
      EXPECT_TRUE(trees.walk(root, asked.box, never, [](RangeNodeId) { return true; }));
    }
  }
}

TEST(range_trees, ranges_that_grow_are_met_without_going_through_them) {
  Table<RangeId, Range> ranges;
  std::vector<RangeId> all;
  for (std::int32_t i = 0; i < 10'000; ++i) {
    Range range{
        .core = CoreIndex(0), .owner = CoreIndex(0), .kind = ObjectKind::buffer, .object = 0};
    range.box.rank = 1;
    range.box.size[0] = i + 1;
    all.push_back(ranges.add(range));
  }
  RangeTrees trees(ranges);
  const RangeNodeId root = trees.add(all);
  int visited = 0;
  const auto count = [&](RangeNodeId) {
    ++visited;
    return false;
  };
  for (const Range& asked : ranges)
    trees.walk(root, asked.box, count, [](RangeNodeId) { return false; });
  EXPECT_EQ(visited, 10'000);
}

TEST(first_below, finds_what_a_search_from_left_to_right_finds) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SplitMix random(seed);
    std::vector<std::int64_t> numbers(random.below(600));
    for (std::int64_t& n : numbers) n = static_cast<std::int64_t>(random.below(1000));
    const FirstBelow first(numbers);
    for (int i = 0; i < 100; ++i) {
      const std::size_t from = random.below(numbers.size() + 1);
      const auto limit = static_cast<std::int64_t>(random.below(60));
      std::size_t expected = from;
      while (expected < numbers.size() && numbers[expected] >= limit) ++expected;
      EXPECT_EQ(first.find(from, limit), expected) << seed;
    }
  }
}

}  // namespace
}  // namespace tessera
