// A task graph has the interpreter's results in random valid orders, but not necessarily without
// one of its edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "analysis/task_graph/atomicity.h"
#include "analysis/task_graph/measures.h"
#include "cli/reports/graph_report.h"
#include "cli/reports/graph_svg.h"
#include "tests/source_dir.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/graph_lines.h"

namespace tessera {
namespace {

using graph::SideId;
using graph::TaskGraph;
using test::Befores;
using test::befores;
using test::graph_case;
using test::GraphCase;
using test::is_right;
using test::lines_behind;
using test::wrong_orders;

// True for scratch that each node only reads after writing it: two nodes must not use it
// concurrently, but no order of whole nodes shows a missing edge.
bool is_private(const TaskGraph& graph, graph::MemoryId memory) {
  for (const graph::NodeSide& side : graph.sides)
    for (const graph::MemoryAccess& access : side.accesses)
      if (access.memory == memory && access.reads) return false;
  const BufferId buffer = graph.memories[memory].buffer;
  return buffer && graph.program.buffers[buffer].role == Role::scratch;
}

bool only_excludes(const TaskGraph& graph, SideId a, SideId b) {
  for (const graph::MemoryAccess& x : graph.sides[a].accesses)
    for (const graph::MemoryAccess& y : graph.sides[b].accesses)
      if (x.memory == y.memory && (x.writes || y.writes) && intersects(x.box, y.box) &&
          !is_private(graph, x.memory))
        return false;
  return true;
}

// True if both sides add to the same rectangle.
bool is_chain_of_sums(const TaskGraph& graph, SideId a, SideId b) {
  const auto updates = [&](SideId side, const graph::MemoryAccess& like) {
    bool reads = false, writes = false;
    for (const graph::MemoryAccess& access : graph.sides[side].accesses) {
      if (access.memory != like.memory || !same_rectangle(access.box, like.box)) continue;
      reads |= access.reads;
      writes |= access.writes;
    }
    return reads && writes;
  };
  const auto& accesses = graph.sides[a].accesses;
  return std::any_of(accesses.begin(), accesses.end(), [&](const graph::MemoryAccess& access) {
    return updates(a, access) && updates(b, access);
  });
}

struct Losses {
  int shown = 0, implied = 0, excluding = 0, summing = 0, hidden = 0;
};

// Removes each edge in turn and counts the effects. implied: other edges imply the removed one.
Losses losses(const GraphCase& of) {
  Losses result;
  for (const SideId h : of.graph.sides.ids())
    for (const graph::Dependence& edge : of.graph.sides[h].predecessors) {
      const Befores without =
          befores(of.graph, [&](SideId to, SideId from) { return to != h || from != edge.side; });
      const std::vector<SideId> order = test::earliest(without, h);
      const auto at = [&](SideId x) { return std::find(order.begin(), order.end(), x); };
      if (at(edge.side) < at(h))
        ++result.implied;
      else if (!is_right(of, order))
        ++result.shown;
      else if (only_excludes(of.graph, edge.side, h))
        ++result.excluding;
      else
        ++(is_chain_of_sums(of.graph, edge.side, h) ? result.summing : result.hidden);
    }
  return result;
}

// Removes the edges that are implied if each copy counts as one node, which is done when the copy
// completes.
Befores reduced_over_copies(const TaskGraph& graph) {
  Table<graph::NodeId, std::set<graph::NodeId>> above(graph.nodes.size());
  for (const graph::NodeId n : graph.nodes.ids())
    for (int i = 0; i < graph.nodes[n].side_count; ++i)
      for (const graph::Dependence& b : graph.sides[graph.nodes[n].first_side + i].predecessors) {
        const graph::NodeId from = graph.sides[b.side].node;
        above[n].insert(from);
        above[n].insert(above[from].begin(), above[from].end());
      }
  return befores(graph, [&](SideId to, SideId from) {
    const graph::Node& node = graph.nodes[graph.sides[to].node];
    for (int i = 0; i < node.side_count; ++i)
      for (const graph::Dependence& b : graph.sides[node.first_side + i].predecessors) {
        const graph::NodeId between = graph.sides[b.side].node;
        if (above[between].contains(graph.sides[from].node)) return false;
      }
    return true;
  });
}

// Numbers of copies, gathers, pipelines, segments and dead nodes; the lengths of the longest path
// and of the longest path with data dependences only.
using Shape = std::array<std::int64_t, 7>;
struct OperationCase {
  const char* words;
  Shape shape;
  bool has_edges;  // without edges, results are wrong
};
void PrintTo(const OperationCase& of, std::ostream* out) { *out << of.words; }

class GraphOfOperation : public ::testing::TestWithParam<OperationCase> {};

TEST_P(GraphOfOperation, gives_the_results_in_every_order_and_needs_its_edges) {
  const GraphCase of = graph_case(GetParam().words);
  const graph::Measures m = graph::measures(of.graph);
  EXPECT_EQ(
      (Shape{m.nodes[0], m.nodes[1], m.nodes[2], m.nodes[3], of.graph.dead, m.depth, m.data_depth}),
      GetParam().shape);
  EXPECT_EQ(wrong_orders(of, befores(of.graph), 50), 0);
  const Losses lost = losses(of);
  EXPECT_EQ(lost.hidden, 0);
  EXPECT_EQ(lost.shown > 0, GetParam().has_edges);
}

INSTANTIATE_TEST_SUITE_P(
    Operations, GraphOfOperation,
    ::testing::Values(
        OperationCase{"right-permute --devices 4 --m 8 --n 8", {4, 0, 0, 0, 0, 1, 1}, false},
        OperationCase{"all-gather --devices 4 --m 4 --n 8", {28, 0, 0, 0, 0, 4, 4}, true},
        OperationCase{"all-reduce --devices 4 --m 4 --n 8", {16, 0, 16, 0, 4, 5, 5}, true},
        OperationCase{"reduce-scatter --devices 4 --m 16 --n 8", {40, 0, 24, 0, 4, 8, 8}, true},
        OperationCase{
            "gmm --group-sizes 5,0,9 --k 96 --n 64 --tiling 8,32,32", {0, 0, 1, 0, 0, 1, 1}, false},
        OperationCase{"ag-matmul --devices 4 --m 16 --k 64 --n 16 --tiling 8,16,16",
                      {16, 0, 16, 0, 0, 5, 5},
                      true},
        OperationCase{"ag-matmul --devices 4 --m 64 --k 128 --n 32 --gather m",
                      {76, 0, 0, 16, 0, 6, 6},
                      true},
        OperationCase{
            "ag-matmul --devices 4 --m 16 --k 64 --n 16 --variant literal --dma-order fifo",
            {36, 0, 0, 16, 4, 6, 6},
            true},
        OperationCase{"matmul-rs --devices 4 --m 64 --k 64 --n 16 --tiling 8,16,16",
                      {24, 0, 64, 0, 0, 8, 8},
                      true},
        OperationCase{"ragged-all-to-all --devices 4 --m 64 --n 32 --group-sizes zipf:1.2",
                      {20, 0, 0, 0, 0, 2, 1},
                      true},
        OperationCase{"ep-gmm --devices 4 --m 16 --k 32 --n 16 --groups 8 --top-k 2",
                      {32, 8, 4, 0, 20, 5, 5},
                      true},
        OperationCase{"ring-of-experts --devices 4 --m 8 --k 32 --n 16 --groups 8 --top-k 8",
                      {96, 4, 32, 0, 32, 15, 15},
                      true}));

TEST(Graph, of_every_kernel_gives_its_results) {
  int kernels = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_dir() + "/kernels/programs"))
    for (const std::string& call : lines_behind(file.path(), "// small call: ")) {
      SCOPED_TRACE(call);
      const GraphCase of = graph_case(call);
      EXPECT_EQ(wrong_orders(of, befores(of.graph), 20), 0);
      ++kernels;
    }
  EXPECT_GE(kernels, 25);
}

// Each sum has the order of the eager schedule, also if copies add.
TEST(Graph, gives_the_bits_of_plain_arithmetic) {
  for (const char* words :
       {"all-reduce --devices 4 --m 4 --n 8", "reduce-scatter --devices 4 --m 16 --n 8",
        "matmul-rs --devices 4 --m 64 --k 64 --n 16 --tiling 8,16,16",
        "ag-matmul --devices 4 --m 16 --k 64 --n 16 --tiling 8,16,16",
        "ring-of-experts --devices 4 --m 8 --k 32 --n 16 --groups 8"}) {
    SCOPED_TRACE(words);
    const GraphCase of = graph_case(std::string(words) + " --fill normal");
    EXPECT_EQ(wrong_orders(of, befores(of.graph), 20), 0);
  }
}

TEST(Graph, is_drawn_with_a_box_for_each_device) {
  const GraphCase of = graph_case("all-gather --devices 2 --m 4 --n 8 --directions 1");
  EXPECT_EQ(cli::graph_dot(of.graph), R"(digraph tasks {
  node [shape=box];
  subgraph cluster_0 {
    label="device 0";
    n0 [label="copy 0\n<ring_all_gather>:12" shape=ellipse];
    n2 [label="copy 2 to 1\n<ring_all_gather>:16" shape=ellipse];
  }
  subgraph cluster_1 {
    label="device 1";
    n1 [label="copy 1\n<ring_all_gather>:12" shape=ellipse];
    n3 [label="copy 3 to 0\n<ring_all_gather>:16" shape=ellipse];
  }
  n0 -> n2;
  n1 -> n3;
}
)");
}

TEST(Graph, names_the_trace_regions_of_a_node) {
  const GraphCase of = graph_case("ag-matmul --devices 2 --m 16 --k 32 --n 16 --tiling 8,16,16");
  EXPECT_NE(cli::graph_dot(of.graph).find("pipeline 4\\nCompute\\n<library>:"), std::string::npos)
      << cli::graph_dot(of.graph);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Graph, picture_has_all_nodes_and_its_edges_lead_down) {
  const GraphCase of = graph_case("all-reduce --devices 4 --m 64 --n 128");
  const Expected<std::string> svg = cli::graph_svg(of.graph);
  ASSERT_TRUE(svg);
  EXPECT_EQ(occurrences(*svg, "<g>"), of.graph.nodes.size());
  EXPECT_EQ(occurrences(*svg, "class=\"device\""), 4U);
  const std::regex edge(R"re(d="M -?\d+ (\d+) C [-\d ]* (\d+)")re");
  std::size_t edges = 0;
  for (std::sregex_iterator at(svg->begin(), svg->end(), edge), end; at != end; ++at, ++edges)
    EXPECT_LT(std::stoi((*at)[1]), std::stoi((*at)[2]));
  EXPECT_EQ(edges, occurrences(cli::graph_dot(of.graph), " -> "));
}

TEST(Graph, picture_of_too_many_nodes_is_refused) {
  const GraphCase of = graph_case("all-reduce --devices 40 --m 80 --n 8 --no-math");
  const Expected<std::string> svg = cli::graph_svg(of.graph);
  ASSERT_FALSE(svg);
  EXPECT_EQ(svg.diags().front().message,
            fmt::format("--svg draws at most 2000 nodes, and this graph has {}: use smaller sizes, "
                        "or --dot",
                        of.graph.nodes.size()));
}

// Only programs that have a graph.
TEST(Graph, of_good_programs_of_the_suite_gives_their_results) {
  int programs = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(test::source_dir() + "/tests/suite")) {
    if (!file.path().filename().string().starts_with("good_")) continue;
    for (const std::string& run : lines_behind(file.path(), "// RUN: verify")) {
      const std::string text = file.path().string() + run;
      SCOPED_TRACE(text);
      if (!test::has_graph(text)) continue;
      const GraphCase of = graph_case(text);
      EXPECT_EQ(wrong_orders(of, befores(of.graph), 20), 0);
      ++programs;
    }
  }
  EXPECT_GE(programs, 60);
}

// A path through a copy does not order nodes if its source is overwritten after the read and before
// the copy completes.
TEST(Graph, is_reduced_over_halves_and_not_over_whole_copies) {
  const GraphCase of =
      graph_case(test::source_dir() + "/tests/cli/graph_eager_sends.tsr --devices 2");
  EXPECT_EQ(wrong_orders(of, befores(of.graph), 200), 0);
  EXPECT_GT(wrong_orders(of, reduced_over_copies(of.graph), 200), 0);
}

TEST(Graph, refuses_a_segment_that_is_not_atomic_where_it_is_built) {
  graph::Atomicity atomicity;
  atomicity.acquire();
  atomicity.acquire();
  atomicity.release();
  atomicity.release();
  EXPECT_FALSE(atomicity.may_acquire());
  EXPECT_DEATH(atomicity.acquire(), "internal error: may_acquire");
}

// Every edge leads from an earlier commit point to a later one, inside one device.
TEST(Graph, has_edges_inside_devices_in_commit_order) {
  const GraphCase of = graph_case("all-reduce --devices 4 --m 4 --n 8");
  for (const SideId h : of.graph.sides.ids())
    for (const graph::Dependence& b : of.graph.sides[h].predecessors) {
      EXPECT_LT(b.side, h);
      EXPECT_EQ(of.graph.owner(of.graph.sides[b.side]), of.graph.owner(of.graph.sides[h]));
    }
}

}  // namespace
}  // namespace tessera
