// One worker runs all nodes in random orders. Data of elided copies is read from its source, and
// scratch contains data of the previous run.
#include "analysis/task_engine/elided_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/node_check/node_check.h"
#include "analysis/task_engine/worker.h"
#include "tests/source_dir.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/graph_lines.h"

namespace tessera {
namespace {

using graph::ElidedCopies;
using graph::MemoryId;
using graph::NodeId;
using graph::TaskGraph;
using test::graph_case;
using test::GraphCase;

ElidedCopies forwards_of(const TaskGraph& graph) {
  return graph::elide_copies(
      graph, graph::private_memories(graph),
      std::vector<bool>(static_cast<std::size_t>(graph.topology.devices), true));
}

std::vector<std::string> forwarded(const GraphCase& of) {
  const ElidedCopies found = forwards_of(of.graph);
  std::set<std::string> names;
  for (const MemoryId m : of.graph.memories.ids())
    if (found.is_filled[m])
      names.insert(of.graph.program.buffers[of.graph.memories[m].buffer].name);
  return {names.begin(), names.end()};
}

std::vector<NodeId> random_nodes(const TaskGraph& graph, unsigned seed) {
  Table<NodeId, std::set<NodeId>> before(graph.nodes.size());
  for (const graph::NodeSide& side : graph.sides)
    for (const graph::Dependence& b : side.predecessors)
      if (const NodeId other = graph.sides[b.side].node; other != side.node)
        before[side.node].insert(other);
  std::mt19937 random(seed);
  std::vector<NodeId> order;
  std::set<NodeId> done;
  while (order.size() < graph.nodes.size()) {
    std::vector<NodeId> ready;
    for (const NodeId n : graph.nodes.ids())
      if (!done.contains(n) &&
          std::includes(done.begin(), done.end(), before[n].begin(), before[n].end()))
        ready.push_back(n);
    order.push_back(ready[random() % ready.size()]);
    done.insert(order.back());
  }
  return order;
}

// Expects the interpreter's results, node by node, in random orders.
void expect_right(const GraphCase& of, unsigned orders) {
  const ElidedCopies forwards = forwards_of(of.graph);
  graph::ScratchPool scratch;
  const auto config = graph::worker_config(of.graph, Math::exact);
  ASSERT_TRUE(config);
  for (unsigned seed = 0; seed < orders; ++seed) {
    KeptRun run = test::copy_of(of.launch);
    const auto bindings = run.bindings();
    RunOptions options = of.launch.options;
    options.math = Math::exact;
    const auto node_check = graph::NodeCheck::make(of.graph, bindings, options);
    ASSERT_TRUE(node_check);
    {
      graph::GraphMemory memories(of.graph, bindings, {}, &scratch);
      memories.elide_copies(forwards);
      memories.set_observer(node_check->get());
      graph::Worker worker(memories, **config);
      for (const NodeId n : random_nodes(of.graph, seed)) {
        ASSERT_TRUE(worker.run(n));
        for (int h = 0; h < of.graph.nodes[n].side_count; ++h)
          memories.release(of.graph.nodes[n].first_side + h);
      }
    }
    const graph::Tally tally = (*node_check)->tally();
    EXPECT_EQ(tally.same, static_cast<std::int64_t>(of.graph.nodes.size()));
    EXPECT_TRUE(test::has_results(of, run)) << "order " << seed;
  }
}

TEST(ElidedCopies, give_the_results_of_every_kernel) {
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_dir() + "/kernels/programs"))
    for (const std::string& call : test::lines_behind(file.path(), "// small call: ")) {
      SCOPED_TRACE(call);
      const GraphCase of = graph_case(call);
      if (of.graph.nodes.size() < 300) expect_right(of, 4);
    }
}

TEST(ElidedCopies, are_scratch_that_copies_fill_and_ops_read) {
  const std::string call = "ag-matmul --gather m --devices 3 --m 48 --k 256 --n 384 --tiling ";
  EXPECT_EQ(forwarded(graph_case(call + "16,128,128")), (std::vector<std::string>{"lhs", "rhs"}));
  // A received slot that is forwarded is read by a copy.
  EXPECT_EQ(forwarded(graph_case("all-gather --devices 4 --m 4 --n 8")),
            std::vector<std::string>());
}

// A copy must not be elided if its source is written afterwards.
TEST(ElidedCopies, are_not_of_bytes_that_change) {
  const auto file = [](const std::string& then) {
    const auto path = std::filesystem::temp_directory_path() / ("forwards_" + then + ".tsr");
    std::ofstream(path) << "kernel changes()\n"
                           "  in   a:    i32[4, 8] hbm\n"
                           "  in   b:    i32[4, 8] hbm\n"
                           "  out  out:  i32[4, 8] hbm\n"
                           "  out  last: i32[4, 8] hbm\n"
                           "  hbm  h:    i32[4, 8]\n"
                           "  hbm  g:    i32[4, 8]\n"
                           "  vmem s:    i32[4, 8]\n"
                           "  vmem t:    i32[4, 8]\n"
                           "{\n"
                           "  copy a -> h\n"
                           "  copy h -> s\n"
                           "  copy b -> "
                        << then
                        << "\n"
                           "  t = s + s\n"
                           "  copy t -> out\n"
                           "  copy "
                        << then << " -> last\n}\n";
    return path.string();
  };
  const GraphCase stays = graph_case(file("g")), changes = graph_case(file("h"));
  EXPECT_EQ(forwarded(stays), std::vector<std::string>{"s"});
  EXPECT_EQ(forwarded(changes), std::vector<std::string>());
  expect_right(stays, 10);
  expect_right(changes, 10);
}

}  // namespace
}  // namespace tessera
