// Access rectangles of nodes, found by position and merged if their union is a rectangle. Merging
// keeps the accessed elements, and the edges built from the rectangles order all conflicting
// accesses and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analysis/task_graph/edge_builder.h"
#include "analysis/task_graph/footprint.h"
#include "analysis/task_graph/sides.h"

namespace tessera {
namespace {

using graph::Dependence;

using graph::Footprint;
using graph::MemoryAccess;
using graph::MemoryId;
using graph::NodeSide;
using graph::SideId;
using graph::TaskGraph;

// Returns a graph with one buffer of 4 x 6 x 8 in each of two memories.
TaskGraph two_memories() {
  TaskGraph graph;
  const BufferId buffer = graph.program.buffers.add({.name = "x", .shape = {4, 6, 8}});
  for (int core = 0; core < 2; ++core) graph.memories.add({CoreIndex(core), buffer, 0});
  return graph;
}

class Boxes {
 public:
  explicit Boxes(unsigned seed) : random_(seed) {}
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<unsigned>(end));
  }
  Box box() {
    Box box{.rank = 3};
    const Index extents{4, 6, 8};
    for (std::size_t d = 0; d < 3; ++d) {
      // With probability 1/2 a block of a grid, which can be merged with its neighbours.
      const bool is_block = below(2) == 0;
      box.size[d] = is_block ? 2 : 1 + below(extents[d]);
      box.start[d] = is_block ? 2 * below(extents[d] / 2) : below(extents[d] - box.size[d] + 1);
    }
    return box;
  }
  MemoryAccess touch() {
    const std::int64_t manner = below(3);
    return {MemoryId(static_cast<std::int32_t>(below(2))), manner != 1, manner != 0, box()};
  }

 private:
  std::mt19937 random_;
};

// The elements that are read and written.
struct Elements {
  std::vector<bool> read = std::vector<bool>(2 * 192), written = read;

  // of_others: without reads of elements that were written before.
  void add(const MemoryAccess& access, bool of_others = false) {
    const Box& b = access.box;
    for (std::int64_t i = b.start[0]; i < b.end(0); ++i)
      for (std::int64_t j = b.start[1]; j < b.end(1); ++j)
        for (std::int64_t k = b.start[2]; k < b.end(2); ++k) {
          const auto at = static_cast<std::size_t>(access.memory.index * 192 + (i * 6 + j) * 8 + k);
          if (access.reads && !(of_others && written[at])) read[at] = true;
          if (access.writes) written[at] = true;
        }
  }
};

bool are_among(const std::vector<bool>& some, const std::vector<bool>& all) {
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i] && !all[i]) return false;
  return true;
}

TEST(GraphFootprint, SaysWhatItsRectanglesSay) {
  const TaskGraph graph = two_memories();
  for (unsigned seed = 0; seed < 300; ++seed) {
    Boxes random(seed);
    Footprint footprint(graph);
    Elements of_others, all, joined;
    std::vector<MemoryAccess> before;
    const std::int64_t count = seed % 50 == 0 ? 700 : 1 + random.below(30);
    for (std::int64_t i = 0; i < count; ++i) {
      const MemoryAccess access = random.touch();
      footprint.add(access);
      of_others.add(access, true);
      // An access inside one rectangle that was written before is always dropped.
      const bool is_own = std::any_of(before.begin(), before.end(), [&](const MemoryAccess& t) {
        return t.writes && t.memory == access.memory && contains(t.box, access.box);
      });
      if (!is_own) all.add(access);
      before.push_back(access);
    }
    const std::vector<MemoryAccess> accesses = footprint.take();
    for (const MemoryAccess& access : accesses) joined.add(access);
    EXPECT_TRUE(are_among(of_others.read, joined.read)) << "seed " << seed;
    EXPECT_TRUE(are_among(joined.read, all.read)) << "seed " << seed;
    EXPECT_EQ(joined.written, of_others.written) << "seed " << seed;
    EXPECT_LE(accesses.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(footprint.take().empty());
  }
}

TEST(GraphFootprint, JoinsTheBlocksOfAGrid) {
  const TaskGraph graph = two_memories();
  Footprint footprint(graph);
  for (std::int64_t i = 0; i < 4; i += 2)
    for (std::int64_t j = 6; (j -= 2) >= 0;)
      for (std::int64_t k = 0; k < 8; k += 4)
        footprint.add({MemoryId(1), true, false, {3, 0, {i, j, k}, {2, 2, 4}}});
  const std::vector<MemoryAccess> accesses = footprint.take();
  ASSERT_EQ(accesses.size(), 1U);
  EXPECT_EQ(accesses[0].box, (Box{3, 0, {0, 0, 0}, {4, 6, 8}}));
}

TEST(GraphFootprint, IndexFindsAllThatMeetAndDropsWhatIsCovered) {
  const Shape shape{4, 6, 8};
  for (unsigned seed = 0; seed < 100; ++seed) {
    Boxes random(seed);
    BoxIndex<std::size_t> index(shape);
    std::vector<Box> all;
    for (std::size_t i = 0; i < 60; ++i) {
      const Box box = random.box();
      if (random.below(4) == 0) {
        index.erase_covered(box);
        for (Box& other : all)
          if (contains(box, other)) other = {};
      }
      index.add(box, i);
      all.push_back(box);
      const Box asked = random.box();
      std::vector<bool> found(all.size()), expected(all.size());
      index.for_each_meeting(asked, [&](const Box&, std::size_t at) { found[at] = true; });
      for (std::size_t at = 0; at < all.size(); ++at)
        expected[at] = all[at].rank == 3 && intersects(all[at], asked);
      EXPECT_EQ(found, expected) << "seed " << seed;
    }
  }
}

bool conflict(const NodeSide& a, const NodeSide& b) {
  for (const MemoryAccess& x : a.accesses)
    for (const MemoryAccess& y : b.accesses)
      if (x.memory == y.memory && (x.writes || y.writes) && intersects(x.box, y.box)) return true;
  return false;
}

// Returns a graph of nodes with one side each.
TaskGraph random_graph(Boxes& random) {
  TaskGraph graph = two_memories();
  for (int h = 0; h < 40; ++h) {
    Footprint footprint(graph);
    for (std::int64_t i = random.below(6); i-- > 0;) footprint.add(random.touch());
    const graph::NodeId node = graph.nodes.add({.commit = h, .first_side = graph.sides.next()});
    const graph::AccessList accesses = graph::AccessList::of(*graph.arena, footprint.take());
    graph.sides.add({node, graph::SideKind::whole, accesses, {}});
  }
  return graph;
}

TEST(GraphFootprint, NodesThatAreKeptHaveTheEdgesOfAGraphOfThemAlone) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Boxes random(seed);
    TaskGraph graph = random_graph(random);
    Table<graph::NodeId, bool> wanted;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) wanted.add(random.below(4) != 0);
    graph::EdgeBuilder(graph).run();
    graph::keep_nodes(graph, wanted);
    const graph::NodeSides kept = graph.sides;
    graph::EdgeBuilder(graph).run();
    for (const SideId h : kept.ids()) {
      EXPECT_TRUE(kept[h].predecessors == graph.sides[h].predecessors) << "seed " << seed;
      EXPECT_EQ(graph.nodes[kept[h].node].first_side, h);
    }
  }
}

TEST(GraphFootprint, EdgesOrderWhatConflictsAndNothingElse) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Boxes random(seed);
    TaskGraph graph = random_graph(random);
    graph::EdgeBuilder(graph).run();
    Table<SideId, std::vector<bool>> above(graph.sides.size(), std::vector<bool>(40));
    for (const SideId h : graph.sides.ids()) {
      for (const Dependence& b : graph.sides[h].predecessors) {
        EXPECT_LT(b.side, h);
        EXPECT_TRUE(conflict(graph.sides[b.side], graph.sides[h]));
        above[h][static_cast<std::size_t>(b.side.index)] = true;
        for (std::size_t i = 0; i < 40; ++i)
          if (above[b.side][i]) above[h][i] = true;
      }
      for (SideId other(0); other < h; ++other)
        EXPECT_TRUE(!conflict(graph.sides[other], graph.sides[h]) ||
                    above[h][static_cast<std::size_t>(other.index)])
            << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tessera
