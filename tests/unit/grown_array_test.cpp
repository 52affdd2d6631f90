// Arrays that grow in place, and lists of rectangles in an arena.
#include "core/host/grown_array.h"

#include <gtest/gtest.h>

#include <numeric>

#include "analysis/task_graph/access_list.h"

namespace tessera {
namespace {

TEST(GrownArray, keeps_what_it_has_while_it_grows) {
  GrownArray<std::int64_t> array;
  EXPECT_TRUE(array.empty());
  for (std::int64_t i = 0; i < 100'000; ++i) array.push_back(i);
  ASSERT_EQ(array.size(), 100'000U);
  EXPECT_EQ(std::accumulate(array.begin(), array.end(), std::int64_t{0}), 4'999'950'000);
  EXPECT_EQ(array.back(), 99'999);
  array.push_back(array[7]);  // an own element, which may move
  EXPECT_EQ(array.back(), 7);
  array.resize(3);
  array.resize(5, 9);
  EXPECT_TRUE(
      std::equal(array.begin(), array.end(), std::begin((const std::int64_t[]){0, 1, 2, 9, 9})));
}

TEST(GrownArray, is_copied_and_moved_as_a_value) {
  GrownArray<int> one(3, 5);
  GrownArray<int> copy = one;
  copy[0] = 1;
  EXPECT_EQ(one[0], 5);
  const GrownArray<int> moved = std::move(one);
  EXPECT_EQ(moved.size(), 3U);
  one = copy;
  EXPECT_EQ(one[0], 1);
  EXPECT_EQ(GrownArray<int>(4)[3], 0);
}

graph::MemoryAccess touch(int memory, bool writes, std::vector<std::int64_t> start) {
  graph::MemoryAccess t;
  t.memory = graph::MemoryId(memory);
  t.reads = !writes;
  t.writes = writes;
  t.box.rank = static_cast<std::int8_t>(start.size());
  t.box.dropped = static_cast<std::uint8_t>(start.size() / 2);
  for (std::size_t d = 0; d < start.size(); ++d) {
    t.box.start[d] = start[d];
    t.box.size[d] = start[d] + 1;
  }
  return t;
}

bool is_same(const graph::MemoryAccess& a, const graph::MemoryAccess& b) {
  return a.memory == b.memory && a.reads == b.reads && a.writes == b.writes && a.box == b.box;
}

TEST(AccessList, give_back_what_was_added) {
  graph::Arena arena;
  const std::vector<graph::MemoryAccess> all = {
      touch(3, false, {}), touch(0, true, {1}),
      touch(2'000'000'000, true, {1LL << 40, 2, 3, 4, 5, 6}), touch(-1, false, {7, 8})};
  graph::AccessList accesses;
  for (const graph::MemoryAccess& t : all) accesses.push_back(arena, t);
  ASSERT_EQ(accesses.size(), all.size());
  EXPECT_TRUE(std::equal(accesses.begin(), accesses.end(), all.begin(), all.end(), is_same));
  EXPECT_TRUE(is_same(accesses.back(), all.back()));
  EXPECT_TRUE(is_same(accesses[2], all[2]));
}

TEST(AccessList, are_renamed_in_a_copy_alone) {
  graph::Arena arena;
  graph::AccessList accesses;
  accesses.push_back(arena, touch(1, true, {4, 5}));
  accesses.push_back(arena, touch(2, false, {6}));
  graph::AccessList copy = accesses.copy(arena);
  copy.rename([](graph::MemoryId m) { return m + 10; });
  copy.set_memory(1, graph::MemoryId());
  EXPECT_EQ(accesses[0].memory.index, 1);
  EXPECT_EQ(accesses[1].memory.index, 2);
  EXPECT_EQ(copy[0].memory.index, 11);
  EXPECT_EQ(copy[1].memory.index, -1);
  EXPECT_TRUE(copy[0].box == accesses[0].box && copy[1].box == accesses[1].box);
}

}  // namespace
}  // namespace tessera
