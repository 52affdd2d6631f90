// Rectangles of nodes, found by where they lie and joined where they are one, say what all of them
// said one by one; the edges that are made of them order all that conflicts, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analysis/task_graph/footprint.h"
#include "analysis/task_graph/frontier.h"
#include "analysis/task_graph/halves.h"

namespace tessera {
namespace {

using graph::Before;

using graph::Footprint;
using graph::Half;
using graph::HalfId;
using graph::MemoryId;
using graph::TaskGraph;
using graph::Touch;

// One buffer of 4 x 6 x 8 in each of two memories.
TaskGraph two_memories() {
  TaskGraph graph;
  const BufferId buffer = graph.program.buffers.add({.name = "x", .shape = {4, 6, 8}});
  for (int site = 0; site < 2; ++site) graph.memories.add({SiteId(site), buffer, 0});
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
      // As often as not a block of a grid, which may be one with its neighbours.
      const bool is_block = below(2) == 0;
      box.size[d] = is_block ? 2 : 1 + below(extents[d]);
      box.start[d] = is_block ? 2 * below(extents[d] / 2) : below(extents[d] - box.size[d] + 1);
    }
    return box;
  }
  Touch touch() {
    const std::int64_t manner = below(3);
    return {MemoryId(static_cast<std::int32_t>(below(2))), manner != 1, manner != 0, box()};
  }

 private:
  std::mt19937 random_;
};

// What is read and what is written, element by element.
struct Elements {
  std::vector<bool> read = std::vector<bool>(2 * 192), written = read;

  // of_others: not what was written before.
  void add(const Touch& touch, bool of_others = false) {
    const Box& b = touch.box;
    for (std::int64_t i = b.start[0]; i < b.end(0); ++i)
      for (std::int64_t j = b.start[1]; j < b.end(1); ++j)
        for (std::int64_t k = b.start[2]; k < b.end(2); ++k) {
          const auto at = static_cast<std::size_t>(touch.memory.index * 192 + (i * 6 + j) * 8 + k);
          if (touch.reads && !(of_others && written[at])) read[at] = true;
          if (touch.writes) written[at] = true;
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
    std::vector<Touch> before;
    const std::int64_t count = seed % 50 == 0 ? 700 : 1 + random.below(30);
    for (std::int64_t i = 0; i < count; ++i) {
      const Touch touch = random.touch();
      footprint.add(touch);
      of_others.add(touch, true);
      // What lies in one rectangle that was written is forgotten for certain.
      const bool is_own = std::any_of(before.begin(), before.end(), [&](const Touch& t) {
        return t.writes && t.memory == touch.memory && contains(t.box, touch.box);
      });
      if (!is_own) all.add(touch);
      before.push_back(touch);
    }
    const std::vector<Touch> touches = footprint.take();
    for (const Touch& touch : touches) joined.add(touch);
    EXPECT_TRUE(are_among(of_others.read, joined.read)) << "seed " << seed;
    EXPECT_TRUE(are_among(joined.read, all.read)) << "seed " << seed;
    EXPECT_EQ(joined.written, of_others.written) << "seed " << seed;
    EXPECT_LE(touches.size(), static_cast<std::size_t>(count));
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
  const std::vector<Touch> touches = footprint.take();
  ASSERT_EQ(touches.size(), 1U);
  EXPECT_EQ(touches[0].box, (Box{3, 0, {0, 0, 0}, {4, 6, 8}}));
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

bool conflict(const Half& a, const Half& b) {
  for (const Touch& x : a.touches)
    for (const Touch& y : b.touches)
      if (x.memory == y.memory && (x.writes || y.writes) && intersects(x.box, y.box)) return true;
  return false;
}

// Nodes of one half each.
TaskGraph random_graph(Boxes& random) {
  TaskGraph graph = two_memories();
  for (int h = 0; h < 40; ++h) {
    Footprint footprint(graph);
    for (std::int64_t i = random.below(6); i-- > 0;) footprint.add(random.touch());
    const graph::NodeId node = graph.nodes.add({.commit = h, .first = graph.halves.next()});
    const graph::Touches touches = graph::Touches::of(*graph.arena, footprint.take());
    graph.halves.add({node, graph::Part::whole, touches, {}});
  }
  return graph;
}

TEST(GraphFootprint, NodesThatAreKeptHaveTheEdgesOfAGraphOfThemAlone) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Boxes random(seed);
    TaskGraph graph = random_graph(random);
    Table<graph::NodeId, bool> wanted;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) wanted.add(random.below(4) != 0);
    graph::Frontier(graph).run();
    graph::keep_nodes(graph, wanted);
    const graph::Halves kept = graph.halves;
    graph::Frontier(graph).run();
    for (const HalfId h : kept.ids()) {
      EXPECT_TRUE(kept[h].before == graph.halves[h].before) << "seed " << seed;
      EXPECT_EQ(graph.nodes[kept[h].node].first, h);
    }
  }
}

TEST(GraphFootprint, EdgesOrderWhatConflictsAndNothingElse) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Boxes random(seed);
    TaskGraph graph = random_graph(random);
    graph::Frontier(graph).run();
    Table<HalfId, std::vector<bool>> above(graph.halves.size(), std::vector<bool>(40));
    for (const HalfId h : graph.halves.ids()) {
      for (const Before& b : graph.halves[h].before) {
        EXPECT_LT(b.half, h);
        EXPECT_TRUE(conflict(graph.halves[b.half], graph.halves[h]));
        above[h][static_cast<std::size_t>(b.half.index)] = true;
        for (std::size_t i = 0; i < 40; ++i)
          if (above[b.half][i]) above[h][i] = true;
      }
      for (HalfId other(0); other < h; ++other)
        EXPECT_TRUE(!conflict(graph.halves[other], graph.halves[h]) ||
                    above[h][static_cast<std::size_t>(other.index)])
            << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tessera
