// Faults of the planner: an access of a memoised pipeline is dropped, it has the accesses of
// another one, a node is skipped, a pipeline after an empty one is forgotten. Each fault ends
// planning with an internal error, so that no engine runs the graph.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "analysis/certificate/points/judged_points.h"
#include "analysis/task_graph/completeness.h"
#include "core/lang/language.h"
#include "devices/profiles/profile.h"
#include "tests/fuzz/engines/engine_case.h"

namespace tessera {
namespace {

using graph::AccessList;
using graph::MemoryAccess;
using graph::Node;
using graph::NodeId;
using graph::Nodes;
using graph::NodeSide;
using graph::PlanningFault;
using graph::SideId;
using graph::TaskGraph;

// Each group is a pipeline with its own scalars; the second launch of the groups repeats the first.
const char* const text = R"(kernel engines(groups = 4)
  in  sizes: i32[groups] smem
  in  x: f32[8, 4] hbm
  out out: f32[8, 4] hbm
  hbm h: f32[8, 4]
  smem begins: i64
{
  copy x -> h
  for round in 2 {
    begins = 0
    for g in groups {
      first_row = begins
      count = sizes[g]
      pipeline i in count {
        window o = h[first_row + i +: 1, :] update, depth 1
        o = o * 2 + 1
      }
      begins = first_row + count
    }
  }
  pipeline i in 8 {
    window a = h[i +: 1, :]
    window o = out[i +: 1, :]
    o = a
  }
}
)";

struct Planted {
  explicit Planted(PlanningFault fault) { graph::plant_planning_fault(std::move(fault)); }
  ~Planted() { graph::plant_planning_fault({}); }
};

class PlanningFaults : public testing::Test {
 protected:
  PlanningFaults() {
    const auto module = parse(std::make_shared<const Source>(Source{"engines.tsr", text}));
    structured_ = *instantiate(*module, "engines", {}, {});
    run_.program = *expand(structured_);
    run_.options.machine.profile = find_profile(default_profile)->machine;
    run_.operands.resize(1);
    fuzz::fill_operands(run_, true, 1);
    Tensor& sizes = run_.operands[0].find("sizes")->second;
    const int rows[] = {0, 2, 0, 3};
    for (int i = 0; i < 4; ++i) sizes.set(i, rows[i]);
  }

  Expected<TaskGraph> plan() {
    JudgedPoints points(structured_);
    const std::vector<Binding> bindings = run_.bindings();
    CertifyOptions how;
    how.run = run_.options;
    return graph::folded_task_graph(
        [&](const RunOptions& options) { return points.run(run_.program, bindings, options); },
        how);
  }

  void expect_noticed(PlanningFault fault) {
    const Planted planted(std::move(fault));
    const Expected<TaskGraph> made = plan();
    ASSERT_FALSE(made);
    EXPECT_EQ(made.diags()[0].code, ErrorCode::runtime);
    EXPECT_NE(made.diags()[0].message.find("internal error: "), std::string::npos);
  }

  Program structured_;
  KeptRun run_;
};

std::vector<NodeId> memoised(const TaskGraph& graph) {
  std::vector<NodeId> all;
  for (const NodeId n : graph.nodes.ids())
    if (graph.nodes[n].instance) all.push_back(n);
  return all;
}

TEST_F(PlanningFaults, none_without_a_fault) {
  const Expected<TaskGraph> made = plan();
  ASSERT_TRUE(made) << render(made.diags());
  EXPECT_EQ(memoised(*made).size(), 2U);
  EXPECT_EQ(made->nodes.size(), 6U);
}

TEST_F(PlanningFaults, a_dropped_access_of_a_memoised_pipeline_is_noticed) {
  const TaskGraph sound = *plan();
  for (const NodeId node : memoised(sound)) {
    const SideId half = sound.nodes[node].first_side;
    for (std::size_t dropped = 0; dropped < sound.sides[half].accesses.size(); ++dropped)
      expect_noticed({.sides = [&](TaskGraph& graph) {
        AccessList others;
        for (std::size_t i = 0; const MemoryAccess& access : graph.sides[half].accesses)
          if (i++ != dropped) others.push_back(*graph.arena, access);
        graph.sides[half].accesses = others;
      }});
  }
}

TEST_F(PlanningFaults, the_accesses_of_another_pipeline_are_noticed) {
  const TaskGraph sound = *plan();
  const std::vector<NodeId> all = memoised(sound);
  for (std::size_t i = 0; i < all.size(); ++i)
    expect_noticed({.sides = [&](TaskGraph& graph) {
      const NodeId other = all[(i + 1) % all.size()];
      graph.sides[graph.nodes[all[i]].first_side].accesses =
          graph.sides[graph.nodes[other].first_side].accesses;
    }});
}

TEST_F(PlanningFaults, a_skipped_node_is_noticed) {
  const TaskGraph sound = *plan();
  for (const NodeId skipped : sound.nodes.ids())
    expect_noticed({.nodes = [&](const graph::Log&, Nodes& nodes) {
      Nodes others;
      for (const NodeId n : nodes.ids())
        if (n != skipped) others.add(nodes[n]);
      nodes = std::move(others);
    }});
}

TEST_F(PlanningFaults, a_node_that_counts_as_dead_is_noticed) {
  const TaskGraph sound = *plan();
  for (const NodeId skipped : sound.nodes.ids())
    expect_noticed(
        {.live = [&](const TaskGraph&, Table<NodeId, bool>& live) { live[skipped] = false; }});
}

// The first pipeline of each pattern has no accesses, like the empty one before it.
TEST_F(PlanningFaults, a_pipeline_that_an_empty_one_hides_is_noticed) {
  int first_of_pattern = 0;
  expect_noticed({.sides = [&](TaskGraph& graph) {
    for (NodeSide& half : graph.sides) {
      const Node& node = graph.nodes[half.node];
      if (!node.pattern) continue;
      ++first_of_pattern;
      half.accesses = {};
    }
  }});
  EXPECT_GT(first_of_pattern, 0);
}

}  // namespace
}  // namespace tessera
