// A graph is built once per program and values of its control inputs.
#include "analysis/task_graph/graph_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/run.h"
#include "tests/source_dir.h"
#include "tests/unit/graph_case.h"

namespace tessera {
namespace {

using graph::GraphCache;
using graph::GraphKey;
using graph::ProgramGraphs;
using graph::TaskGraph;

// A call of an operation that is planned repeatedly.
struct Call {
  explicit Call(const std::string& text) {
    const auto target = test::graph_target(text);
    EXPECT_TRUE(target);
    how = target->how;
    auto launched = launch_of(target->prepared.simulate, how.run);
    EXPECT_TRUE(launched);
    launch = **std::move(launched);
    graphs.emplace(launch.program, launch.program);
  }
  std::shared_ptr<const TaskGraph> graph() {
    const std::vector<Binding> bindings = launch.bindings();
    const auto made = graphs->of(
        [&](const RunOptions& options) {
          ++runs;
          return run(launch.program, bindings, options);
        },
        bindings, how);
    EXPECT_TRUE(made) << render(made.diags());
    return *made;
  }
  Tensor& operand(const std::string& name) { return launch.operands[0].find(name)->second; }

  CertifyOptions how;
  KeptRun launch;
  std::optional<ProgramGraphs> graphs;
  int runs = 0;
};

constexpr const char* product = "gmm --group-sizes 10,6 --k 16 --n 16 --tiling 8,8,8";

TEST(GraphCache, AreFoundByProgramAndControlInputs) {
  GraphCache::of_process().clear();
  Call call(product);
  EXPECT_EQ(call.graphs->control_inputs(), std::vector<std::string>{"group_sizes"});
  const auto first = call.graph();
  EXPECT_EQ(call.runs, 1);
  EXPECT_EQ(call.graph(), first);
  EXPECT_EQ(call.runs, 1);
  // The same program of another session.
  Call again(product);
  EXPECT_EQ(again.graph(), first);
  EXPECT_EQ(again.runs, 0);
}

TEST(GraphCache, AreMadeAnewForNewRouting) {
  GraphCache::of_process().clear();
  Call call(product);
  const auto first = call.graph();
  call.operand("lhs").set(0, 3);
  EXPECT_EQ(call.graph(), first);
  call.operand("group_sizes").set(0, 9);
  call.operand("group_sizes").set(1, 7);
  const auto other = call.graph();
  EXPECT_NE(other, first);
  EXPECT_EQ(call.runs, 2);
  call.operand("group_sizes").set(0, 10);
  call.operand("group_sizes").set(1, 6);
  EXPECT_EQ(call.graph(), first);
  EXPECT_EQ(call.runs, 2);
}

TEST(GraphCache, AreOfOneWayToVerify) {
  GraphCache::of_process().clear();
  Call call(product);
  const auto first = call.graph();
  call.how.granularity = CopyGranularity::whole;
  EXPECT_NE(call.graph(), first);
  call.how.run.copies.order = DmaOrder::fifo;
  EXPECT_EQ(GraphCache::of_process().size(), 2U);
  EXPECT_NE(call.graph(), first);
  EXPECT_EQ(GraphCache::of_process().size(), 3U);
}

TEST(GraphCache, RefusedProgramsAreNotKept) {
  GraphCache::of_process().clear();
  Call call(test::source_dir() + "/tests/race/bad_two_writers.tsr --devices 3");
  const std::vector<Binding> bindings = call.launch.bindings();
  const auto refused = call.graphs->of(
      [&](const RunOptions& options) { return run(call.launch.program, bindings, options); },
      bindings, call.how);
  EXPECT_FALSE(refused);
  EXPECT_EQ(GraphCache::of_process().size(), 0U);
}

TEST(GraphCache, LongUnusedOnesGoFirst) {
  const auto one = std::make_shared<const TaskGraph>(TaskGraph{.actions = graph::Actions(100)});
  GraphCache kept(2 * graph::bytes_of(*one));
  const auto key = [](std::uint64_t program) { return GraphKey{{program, 0}, {}, {}, 7}; };
  for (std::uint64_t program = 0; program < 2; ++program) kept.keep(key(program), one);
  EXPECT_EQ(kept.find(key(0)), one);
  kept.keep(key(2), one);
  EXPECT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept.find(key(0)), one);
  EXPECT_EQ(kept.find(key(1)), nullptr);
  EXPECT_EQ(kept.find(key(2)), one);
}

}  // namespace
}  // namespace tessera
