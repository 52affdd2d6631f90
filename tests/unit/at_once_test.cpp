// Programs with pipelines that move blocks atomically: proofs also hold for the expanded programs,
// the task graphs are the same, and a pipeline that breaks a clause of the rule is expanded.
#include "core/passes/at_once.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/certificate/points/judged_points.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/language_support.h"
#include "tests/unit/shipped_calls.h"
#include "tests/unit/small_program.h"

namespace tessera {
namespace {

using graph::SideId;
using graph::TaskGraph;

Expected<Certificate> verdict(const cli::VerifyTarget& target, bool at_once) {
  CertifyOptions how = target.how;
  how.run.math = Math::none;
  how.run.computes_values = false;
  how.run.schedule = "eager";
  how.shown = 0;
  how.exhaust = 0;
  how.schedules = 1;
  if (at_once) how.run.rewrite = MoveAtOnce{};
  return certify(target.prepared.simulate, how);
}

TEST(AtOnce, proves_nothing_that_is_not_proved_of_the_expanded_program) {
  int proved = 0, refuted = 0, open = 0;
  for (const std::string& call : test::shipped_calls()) {
    SCOPED_TRACE(call);
    const auto target = test::graph_target(call);
    if (!target) continue;  // for example, for another kernel of the file
    const auto expanded = verdict(*target, false), at_once = verdict(*target, true);
    ASSERT_EQ(static_cast<bool>(expanded), static_cast<bool>(at_once));
    if (!expanded) continue;
    const bool is_proved = expanded->verdict == SchedulesVerdict::proved;
    if (at_once->verdict == SchedulesVerdict::proved) {
      EXPECT_TRUE(is_proved);
      EXPECT_EQ(expanded->basis.control_inputs, at_once->basis.control_inputs);
      ++proved;
    } else {
      ++(is_proved ? open : refuted);
    }
  }
  EXPECT_GE(proved, 100);
  EXPECT_GE(refuted, 60);
  EXPECT_LE(open, 2);
  RecordProperty("open", open);
}

// Names sides by core, kind and position in the core. The interleaving of cores is not compared.
using Name = std::tuple<std::int32_t, int, graph::SideKind>;
Table<SideId, Name> names(const TaskGraph& graph) {
  std::map<CoreIndex, int> count;
  Table<SideId, Name> all(graph.sides.size());
  for (const graph::NodeId n : graph.nodes.ids()) {
    const graph::Node& node = graph.nodes[n];
    const int number = count[node.core]++;
    for (int h = 0; h < node.side_count; ++h)
      all[node.first_side + h] = {node.core.index, number, graph.sides[node.first_side + h].kind};
  }
  return all;
}

// Accesses of a side to memory that other sides can access. Memories by name, because their ids
// differ between the graphs.
using Reached = std::tuple<int, std::string, bool, bool, std::vector<std::int64_t>>;
std::vector<Reached> reached(const TaskGraph& graph, const graph::NodeSide& half) {
  std::vector<Reached> all;
  for (const graph::MemoryAccess& access : half.accesses) {
    const graph::Memory& memory = graph.memories[access.memory];
    if (!memory.buffer || graph.program.buffers[memory.buffer].scoped) continue;
    std::vector<std::int64_t> box;
    for (int d = 0; d < access.box.rank; ++d) {
      box.push_back(access.box.start[Box::at(d)]);
      box.push_back(access.box.size[Box::at(d)]);
    }
    all.emplace_back(memory.owner.index, graph.program.buffers[memory.buffer].name, access.reads,
                     access.writes, box);
  }
  std::sort(all.begin(), all.end());
  return all;
}

struct Described {
  graph::NodeKind kind{};
  std::int64_t bytes = 0, flops = 0;
  std::vector<Reached> reached{};
  std::vector<std::pair<Name, bool>> before{};
  bool operator==(const Described&) const = default;
};

std::map<Name, Described> described(const TaskGraph& graph) {
  const Table<SideId, Name> name = names(graph);
  std::map<Name, Described> all;
  for (const SideId h : graph.sides.ids()) {
    const graph::NodeSide& half = graph.sides[h];
    const graph::Node& node = graph.nodes[half.node];
    Described d{node.kind, node.bytes, node.flops, reached(graph, half), {}};
    for (const graph::Dependence& before : half.predecessors)
      d.before.emplace_back(name[before.side], before.is_flow);
    std::sort(d.before.begin(), d.before.end());
    all.emplace(name[h], std::move(d));
  }
  return all;
}

void expect_same(const TaskGraph& a, const TaskGraph& b) {
  EXPECT_EQ(a.dead, b.dead);
  const auto x = described(a), y = described(b);
  ASSERT_EQ(x.size(), y.size());
  for (auto i = x.begin(), j = y.begin(); i != x.end(); ++i, ++j) {
    EXPECT_EQ(i->first, j->first);
    EXPECT_EQ(i->second.kind, j->second.kind);
    EXPECT_EQ(i->second.bytes, j->second.bytes);
    EXPECT_EQ(i->second.flops, j->second.flops);
    EXPECT_EQ(i->second.reached, j->second.reached);
    EXPECT_EQ(i->second.before, j->second.before);
  }
}

TEST(AtOnce, has_the_graph_of_the_expanded_program) {
  int graphs = 0, pipelines = 0;
  for (const std::string& call : test::shipped_calls()) {
    SCOPED_TRACE(call);
    const auto target = test::graph_target(call);
    if (!target) continue;
    const auto made = graph::task_graph(target->prepared.simulate, target->how);
    CertifyOptions as_it_is = target->how;
    as_it_is.run.rewrite = [](const Program& expanded) { return expanded; };
    const auto expanded = graph::task_graph(target->prepared.simulate, as_it_is);
    ASSERT_EQ(static_cast<bool>(made), static_cast<bool>(expanded));
    if (!made) continue;
    expect_same(*made, *expanded);
    ++graphs;
    for (const graph::Node& node : made->nodes) pipelines += node.pipeline ? 1 : 0;
  }
  EXPECT_GE(graphs, 100);
  EXPECT_GE(pipelines, 100);
}

// Returns the number of pipelines that move blocks atomically.
int moving(const std::string& declarations, const std::string& body) {
  const auto structured = test::program("kernel k()\n" + declarations + "{\n" + body + "}\n");
  if (!structured) ADD_FAILURE() << render(structured.diags());
  if (!structured) return -1;
  const auto expanded = expand_at_once(*structured);
  if (!expanded) ADD_FAILURE() << render(expanded.diags());
  if (!expanded) return -1;
  EXPECT_TRUE(is_at_once(*expanded));
  EXPECT_TRUE(at_once_state(*expanded));
  int count = 0;
  for (const Stmt& s : expanded->body) {
    const StmtId pipeline = pipeline_of(s.op);
    if (!pipeline) continue;
    EXPECT_TRUE(std::holds_alternative<Pipeline>(structured->body[pipeline].op));
    ++count;
  }
  return count;
}

const std::string memory =
    "  in a: f32[16, 8] hbm\n  out o: f32[16, 8] hbm\n  hbm h: f32[16, 8]\n  vmem v: f32[8, 8]\n"
    "  sem s: bytes\n  sem c: count\n";
std::string pipeline(const std::string& windows, const std::string& body) {
  return "  pipeline i in 2 {\n" + windows + body + "  }\n";
}
const std::string x = "    window x = a[i * 8 +: 8, :]\n", y = "    window y = o[i * 8 +: 8, :]\n";

TEST(AtOnce, is_for_pipelines_that_only_compute) {
  EXPECT_EQ(moving(memory, pipeline(x + y, "    y = x\n")), 1);
  EXPECT_EQ(
      moving(memory, pipeline(x + y, "    y = x\n    signal c on device, 1\n") + "  wait c, 2\n"),
      0);
  EXPECT_EQ(
      moving(memory, "  signal c on device, 2\n" + pipeline(x + y, "    y = x\n    wait c, 1\n")),
      0);
  EXPECT_EQ(
      moving(memory,
             pipeline(x + y, "    y = x\n    start a[0 +: 8, :] -> v, s\n    wait s for v\n")),
      0);
  EXPECT_EQ(moving(memory, pipeline(y,
                                    "    pipeline j in 1 {\n      window x = a[0 +: 8, :]\n"
                                    "      y = x\n    }\n")),
            1);  // only the inner pipeline
}

TEST(AtOnce, is_for_memory_that_one_window_stores_and_no_other_names) {
  const std::string copy = pipeline(x + "    window y = h[i * 8 +: 8, :]\n", "    y = x\n");
  EXPECT_EQ(moving(memory, copy + pipeline("    window x = h[i * 8 +: 8, :]\n" + y, "    y = x\n")),
            2);
  EXPECT_EQ(moving(memory, copy + pipeline("    window x = h[8 - i * 8 +: 8, :]\n"
                                           "    window y = h[i * 8 +: 8, :]\n",
                                           "    y = x\n")),
            1);
  EXPECT_EQ(moving(memory, pipeline(x + "    window y = h[i * 8 +: 4, :]\n"
                                        "    window z = h[i * 8 + 4 +: 4, :]\n",
                                    "    y = x[0 +: 4, :]\n    z = x[4 +: 4, :]\n")),
            0);
  // A view has the same memory.
  EXPECT_EQ(moving(memory, copy + "  w = view(h)\n" +
                               pipeline("    window x = w[8 - i * 8 +: 8, :]\n"
                                        "    window y = h[i * 8 +: 8, :]\n",
                                        "    y = x\n")),
            1);
}

TEST(AtOnce, is_for_blocks_that_are_fetched_to_be_stored_one_after_the_other) {
  const std::string copy = pipeline(x + "    window y = h[i * 8 +: 8, :]\n", "    y = x\n");
  const auto adds = [&](const std::string& depth) {
    return moving(memory,
                  copy + pipeline(x + "    window y = h[i * 8 +: 8, :] update" + depth + "\n",
                                  "    y = y + x\n"));
  };
  EXPECT_EQ(adds(" depth 1"), 2);
  EXPECT_EQ(adds(" depth 2"), 1);
}

const std::string in_and_out = "  in a: f32[8, 16] hbm\n  out o: f32[8, 16] hbm\n";

// Both blocks of h are stored twice. The second store follows the first, so the program is correct,
// but with atomic moves it cannot be distinguished from an incorrect program.
TEST(AtOnce, leaves_the_word_to_the_expanded_program) {
  test::SmallProgram twice(
      "kernel k()\n" + in_and_out +
      "  hbm h: f32[8, 16]\n  sem s: bytes\n{\n  pipeline i in 4 {\n"
      "    window x = a[(i mod 2) * 4 +: 4, :]\n    window y = h[(i mod 2) * 4 +: 4, :]\n"
      "    y = x\n  }\n  start h -> o, s\n  wait s for h\n}\n");
  EXPECT_EQ(twice.verdict(false).verdict, SchedulesVerdict::proved);
  const Certificate at_once = twice.verdict(true);
  ASSERT_EQ(at_once.verdict, SchedulesVerdict::refuted);
  EXPECT_EQ(at_once.findings.front().kind, FindingKind::revisit);
  const auto graph = twice.graph();
  ASSERT_TRUE(graph) << render(graph.diags());
  for (const graph::Node& node : graph->nodes) EXPECT_FALSE(node.pipeline);
}

TEST(AtOnce, records_which_pipeline_a_node_is) {
  test::SmallProgram program(
      "kernel k()\n" + in_and_out +
      "{\n  for j in 2 {\n    pipeline i in 1 {\n"
      "      window x = a[j * 4 +: 4, :]\n      window y = o[j * 4 +: 4, :]\n"
      "      y = x\n    }\n  }\n}\n");
  const auto graph = program.graph();
  ASSERT_TRUE(graph) << render(graph.diags());
  ASSERT_EQ(graph->nodes.size(), 2U);
  for (const graph::Node& node : graph->nodes) {
    ASSERT_TRUE(node.pipeline);
    EXPECT_TRUE(std::holds_alternative<Pipeline>(program.structured().body[node.pipeline].op));
  }
}

// The machine needs exactly the memory of the expanded program.
TEST(AtOnce, takes_the_memory_of_the_expanded_program) {
  test::SmallProgram program("kernel k()\n" + in_and_out +
                             "{\n  pipeline i in 4 {\n    window x = a[i * 2 +: 2, :]   depth 3\n"
                             "    window y = o[i * 2 +: 2, :]\n    y = x\n  }\n}\n");
  const RunStats needs = program.verdict(false).run.stats;
  EXPECT_GT(needs.peak_vmem, 2 * 2 * 16 * 4);
  for (const auto& [limit, most] : {std::pair(&MachineProfile::vmem_bytes, needs.peak_vmem),
                                    std::pair(&MachineProfile::smem_bytes, needs.peak_smem)}) {
    MachineProfile machine;
    machine.*limit = most;
    EXPECT_EQ(program.verdict(false, machine).verdict, SchedulesVerdict::proved);
    EXPECT_EQ(program.verdict(true, machine).verdict, SchedulesVerdict::proved);
    machine.*limit = most - 1;
    EXPECT_EQ(program.verdict(true, machine).verdict, SchedulesVerdict::refuted);
    EXPECT_FALSE(program.graph(machine));
  }
}

// Dependences between points are found by the run itself: two points store the same element, or one
// point reads scratch written by another point.
TEST(AtOnce, finds_what_points_have_in_common) {
  const auto stored = [](const std::string& place) {
    return test::SmallProgram("kernel k()\n" + in_and_out + "  hbm h: f32[8, 16]\n{\n" +
                              "  pipeline i in 2 parallel {\n    window x = a[i * 4 +: 4, :]\n"
                              "    window y = h[" +
                              place +
                              " +: 4, :]\n    y = x\n  }\n"
                              "  pipeline i in 2 {\n    window x = a[i * 4 +: 4, :]\n"
                              "    window y = o[i * 4 +: 4, :]\n    y = x\n  }\n}\n")
        .verdict(true)
        .verdict;
  };
  EXPECT_EQ(stored("i * 4"), SchedulesVerdict::proved);
  EXPECT_EQ(stored("i * 2"), SchedulesVerdict::refuted);
  const auto left = [](const std::string& first) {
    return test::SmallProgram(
               "kernel k()\n" + in_and_out + "  in n: i32[2] smem\n  vmem v: f32[4, 16]\n{\n" +
               "  v = 0\n  pipeline i in 2 parallel {\n    window x = a[n[i] * 0 + i * 4 +: 4, :]\n"
               "    window y = o[i * 4 +: 4, :]\n    " +
               first + "\n    v = v + x\n    y = v\n  }\n}\n")
        .verdict(true)
        .verdict;
  };
  EXPECT_EQ(left("v = 0"), SchedulesVerdict::proved);
  EXPECT_EQ(left("if i == 0 { v = 0 }"), SchedulesVerdict::refuted);
}

}  // namespace
}  // namespace tessera
