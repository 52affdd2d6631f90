// Runs of task graphs, compared with the interpreter node by node: runs without faults, and runs
// with a fault, which is found in the node that has it.
#include "analysis/node_check/node_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/in_process.h"
#include "core/data/convert.h"
#include "devices/threads/task_run.h"
#include "tests/source_dir.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/graph_lines.h"
#include "text/json.h"

namespace tessera {
namespace {

using graph::NodeCheck;
using graph::NodeId;
using graph::SideId;
using graph::SideKind;
using graph::Tally;
using graph::TaskGraph;
using test::graph_case;
using test::GraphCase;

std::unique_ptr<NodeCheck> node_check_of(const GraphCase& of, const std::vector<Binding>& bindings,
                                         Math math) {
  RunOptions options = of.launch.options;
  options.math = math;
  auto made = NodeCheck::make(of.graph, bindings, options);
  if (!made) {
    ADD_FAILURE() << render(made.diags());
    return nullptr;
  }
  EXPECT_TRUE((*made)->findings().empty());
  return *std::move(made);
}

// Runs `graph` on threads and returns the tally. It may differ from the graph of the case.
Tally on_threads(const GraphCase& of, const TaskGraph& graph, Math math, unsigned shuffle) {
  KeptRun run = test::copy_of(of.launch);
  const auto bindings = run.bindings();
  const auto node_check = node_check_of(of, bindings, math);
  if (node_check == nullptr) return {};
  graph::GraphMemory memories(graph, bindings);
  memories.set_observer(node_check.get());
  const auto config = graph::worker_config(graph, math);
  run_tasks(graph::tasks(graph, 1), memories, **config, {.threads = 3, .shuffle = shuffle});
  return node_check->tally();
}

// Expects equal bits in all nodes.
void expect_same(const GraphCase& of, Math math) {
  const Tally tally = on_threads(of, of.graph, math, 7);
  EXPECT_EQ(tally.compared, static_cast<std::int64_t>(of.graph.nodes.size()));
  EXPECT_EQ(tally.same + tally.within, tally.compared);
  if (math == Math::exact) {
    EXPECT_EQ(tally.within, 0);
  }
  EXPECT_EQ(tally.first, -1);
}

TEST(NodeCheck, are_those_of_the_interpreter_in_every_kernel) {
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_dir() + "/kernels/programs"))
    for (const std::string& call : test::lines_behind(file.path(), "// small call: ")) {
      SCOPED_TRACE(call);
      expect_same(graph_case(call), Math::exact);
    }
}

TEST(NodeCheck, of_floats_lie_within_the_error_bound) {
  for (const char* words : {"gmm --group-sizes 5,0,9,40 --k 96 --n 64 --tiling 8,32,32",
                            "reduce-scatter --devices 4 --m 16 --n 8",
                            "matmul-rs --devices 4 --m 64 --k 64 --n 16 --tiling 8,16,16",
                            "ag-matmul --devices 4 --m 16 --k 64 --n 16 --tiling 8,16,16"}) {
    SCOPED_TRACE(words);
    const GraphCase of = graph_case(std::string(words) + " --fill normal");
    expect_same(of, Math::library);
    expect_same(of, Math::exact);
  }
}

// Returns the side of the node that writes its output.
SideId writing(const TaskGraph& graph, NodeId node) {
  const graph::Node& of = graph.nodes[node];
  return of.first_side + (of.side_count - 1);
}

struct Planted {
  explicit Planted(std::function<void(const TaskGraph&, SideId, graph::GraphMemory&)> fault) {
    graph::plant_fault(std::move(fault));
  }
  ~Planted() { graph::plant_fault(nullptr); }
};

// Changes the first element that the side `wrong` has written by a fraction of its value.
auto off_by(SideId wrong, double share) {
  return [wrong, share](const TaskGraph& graph, SideId side, graph::GraphMemory& memories) {
    if (side != wrong) return;
    const auto at = graph::outputs(graph, graph::private_memories(graph), side).front();
    Box first = at.box;
    std::fill_n(first.size.begin(), first.rank, 1);
    const TileView view = memories.view(at.memory, first);
    const double value = load_element(view.data, view.dtype);
    store_element(view.data, view.dtype, value == 0 ? 1 : value * (1 + share));
  };
}

TEST(NodeCheck, find_the_node_that_wrote_something_else) {
  for (const char* words : {"all-reduce --devices 4 --m 4 --n 8",
                            "matmul-rs --devices 2 --m 16 --k 32 --n 16 --tiling 4,8,8"}) {
    SCOPED_TRACE(words);
    const GraphCase of = graph_case(words);
    for (const NodeId node : of.graph.nodes.ids()) {
      const SideId side = writing(of.graph, node);
      const Planted fault(off_by(side, 1));
      const Tally tally = on_threads(of, of.graph, Math::exact, 3);
      EXPECT_EQ(tally.first, side.index);
      EXPECT_EQ(tally.same + tally.differ, tally.compared);
    }
  }
}

// Rounding errors are not differences; larger errors are.
TEST(NodeCheck, find_small_errors_of_products) {
  const GraphCase of =
      graph_case("ag-matmul --devices 2 --m 16 --k 64 --n 16 --tiling 8,16,16 --fill normal");
  for (const NodeId node : of.graph.nodes.ids()) {
    if (of.graph.nodes[node].copies()) continue;
    const SideId side = writing(of.graph, node);
    const Planted fault(off_by(side, 0x1p-6));
    EXPECT_EQ(on_threads(of, of.graph, Math::library, 3).first, side.index);
  }
}

// Runs the sides in the given order, with separate memories for each device, as in processes.
Tally in_order(const GraphCase& of, const std::vector<SideId>& order, bool& is_right) {
  KeptRun run = test::copy_of(of.launch);
  const auto bindings = run.bindings();
  const auto node_check = node_check_of(of, bindings, Math::exact);
  if (node_check == nullptr) return {};
  test::GraphExecutor executor(of.graph, run);
  executor.tell(node_check.get());
  is_right = executor.run(order) && test::has_results(of, run);
  return node_check->tally();
}

// If an edge is removed, one of its two nodes differs first: the node that ran too early, or the
// node whose operands it has overwritten.
TEST(NodeCheck, find_an_edge_that_was_left_out) {
  int seen = 0;
  for (const char* words :
       {"all-reduce --devices 3 --m 6 --n 8", "all-gather --devices 4 --m 4 --n 8"}) {
    SCOPED_TRACE(words);
    const GraphCase of = graph_case(words);
    for (const SideId late : of.graph.sides.ids())
      for (const graph::Dependence& edge : of.graph.sides[late].predecessors) {
        const auto others = test::befores(
            of.graph, [&](SideId h, SideId b) { return h != late || b != edge.side; });
        bool is_right = false;
        const Tally tally = in_order(of, test::earliest(others, late), is_right);
        EXPECT_TRUE(is_right || tally.first >= 0);
        if (tally.first < 0) continue;
        ++seen;
        const NodeId found = of.graph.sides[SideId(tally.first)].node;
        // A copy that has read too early differs at its write side.
        EXPECT_TRUE(found == of.graph.sides[late].node || found == of.graph.sides[edge.side].node ||
                    (!edge.is_flow && found > of.graph.sides[edge.side].node));
      }
  }
  EXPECT_GT(seen, 20);
}

TEST(NodeCheck, find_copies_that_were_swapped) {
  const GraphCase of = graph_case("all-gather --devices 4 --m 8 --n 8 --directions 1");
  TaskGraph swapped = of.graph;
  std::vector<graph::ActionId> copies;
  for (const graph::Node& node : swapped.nodes)
    if (node.copies() && swapped.is_message(node)) copies.push_back(node.actions.front());
  graph::Action &a = swapped.actions[copies.at(0)], &b = swapped.actions[copies.at(1)];
  const auto swap_sources = [&](graph::Action& x, graph::Action& y) {
    const graph::MemoryAccess from_x = x.ends[0], from_y = y.ends[0];
    for (const auto& [copy, from] : {std::pair(&x, from_y), std::pair(&y, from_x)}) {
      graph::AccessList ends;
      ends.push_back(*swapped.arena, from);
      ends.push_back(*swapped.arena, copy->ends[1]);
      copy->ends = ends;
    }
  };
  swap_sources(a, b);
  const Tally tally = on_threads(of, swapped, Math::exact, 1);
  const NodeId first = of.graph.sides[SideId(tally.first)].node;
  EXPECT_EQ(of.graph.nodes[first].actions.front(), copies.at(0));
  EXPECT_GE(tally.differ, 1);
}

// The message of a command, with the line that wrote the element and its loop indices.
TEST(NodeCheck, name_line_and_indices_of_the_first_node_that_differs) {
  HeldFiles files;
  files.texts.emplace("rows.tsr", R"(kernel rows()
  in   a:    i32[2, 8] hbm
  out  out:  i32[2, 8] hbm
  vmem slot: i32[3, 8]
  sem  sent: bytes
  sem  came[2]: bytes
{
  for i in 2 {
    copy a[i, :] -> slot[0, :]
    start slot[0, :] -> (device + 1) mod devices: slot[1 + i, :], sent, came[i]
    wait sent for slot[0, :]
    wait came[i] for slot[1 + i, :]
    copy slot[1 + i, :] -> out[i, :]
  }
}
)");
  const std::vector<std::string> words = {"run",      "rows.tsr", "--devices",     "2",
                                          "--device", "threads",  "--check-nodes", "--fill",
                                          "integers"};
  const cli::Answer clean = cli::answer(words, files, nullptr);
  EXPECT_EQ(clean.exit_code, 0) << clean.err;
  EXPECT_NE(
      clean.out.find("nodes     12 of 12 nodes compared with the interpreter: all bit for bit"),
      std::string::npos)
      << clean.out;
  // Changes the data of the second copy from device 1 to device 0.
  const Planted fault([](const TaskGraph& graph, SideId side, graph::GraphMemory& memories) {
    const graph::Node& node = graph.nodes[graph.sides[side].node];
    const graph::Action& action = graph.actions[node.actions.front()];
    if (graph.is_message(node) && action.core.index == 1 && action.to().box.start[0] == 2 &&
        graph.sides[side].kind == SideKind::write)
      off_by(side, 1)(graph, side, memories);
  });
  const cli::Answer found = cli::answer(words, files, nullptr);
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_NE(found.out.find("nodes     12 of 12 nodes compared with the interpreter: 10 bit for "
                           "bit, 2 not\n"),
            std::string::npos)
      << found.out;
  const std::size_t begin = found.out.find("rows.tsr:10:5: mismatch: ");
  ASSERT_NE(begin, std::string::npos) << found.out;
  EXPECT_EQ(found.out.substr(begin),
            "rows.tsr:10:5: mismatch: slot[2 .. 3, 0 .. 8] of dev0 differs from the interpreter's "
            "result: 1 of 8 elements differs, the first is slot[2, 0] = -6, expected -3, on "
            "dev1.core0/dma#4 at "
            "i=1\n"
            "    start slot[0, :] -> (device + 1) mod devices: slot[1 + i, :], sent, came[i]\n"
            "    ^" +
                std::string(74, '~') +
                "\nnote: it is node 9 of 12 in commit order, a copy of dev1.core0; 1 more differs, "
                "which may follow from it\n");
  const Json object = Json::parse(found.object);
  EXPECT_EQ(object.find("status")->text(), "mismatch");
  const Json& node_check = *object.find("node_checks");
  EXPECT_EQ(node_check.find("compared")->text(), "12");
  EXPECT_EQ(node_check.find("differ")->text(), "2");
  EXPECT_EQ(node_check.find("first")->find("line")->text(), "10");
}

// An element changes after its node was compared. Only the comparison at the end finds it.
TEST(NodeCheck, compare_results_at_the_end_of_the_run) {
  HeldFiles files;
  files.texts.emplace("late.tsr", R"(kernel late()
  in   a:    i32[2, 8] hbm
  out  out:  i32[2, 8] hbm
  out  last: i32[1, 8] hbm
{
  copy a -> out
  copy out[0 +: 1, :] -> last
}
)");
  const std::vector<std::string> words = {"run",           "late.tsr", "--device", "threads",
                                          "--check-nodes", "--fill",   "integers"};
  const cli::Answer clean = cli::answer(words, files, nullptr);
  EXPECT_EQ(clean.exit_code, 0) << clean.err;
  EXPECT_NE(clean.out.find("2 of 2 nodes compared with the interpreter: all bit for bit; and all "
                           "results\n"),
            std::string::npos)
      << clean.out;
  const Planted fault([](const TaskGraph& graph, SideId side, graph::GraphMemory& memories) {
    const graph::Node& node = graph.nodes[graph.sides[side].node];
    const graph::Action& action = graph.actions[node.actions.front()];
    if (action.to().box.size[0] != 1 || graph.sides[side].kind != SideKind::write) return;
    Box changed = action.from().box;
    changed.start[0] = 1;
    std::fill_n(changed.size.begin(), changed.rank, 1);
    const TileView view = memories.view(action.from().memory, changed);
    store_element(view.data, view.dtype, load_element(view.data, view.dtype) + 1);
  });
  const cli::Answer found = cli::answer(words, files, nullptr);
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_NE(found.out.find("all bit for bit; results: not\n"), std::string::npos) << found.out;
  EXPECT_NE(
      found.out.find("late.tsr:6:3: mismatch: out[0 .. 2, 0 .. 8] of dev0 differs from the "
                     "interpreter's result: 1 of 16 elements differs, the first is out[1, 0]"),
      std::string::npos)
      << found.out;
}

}  // namespace
}  // namespace tessera
