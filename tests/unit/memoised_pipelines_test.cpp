// Memoised pipelines: a pipeline is not run again if an earlier one did the same. The graph unfolds
// to the graph of a full run, and pipelines that could behave differently are run.
#include "analysis/planning/memoised_pipelines.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/task_graph/unfold.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/shipped_calls.h"
#include "tests/unit/small_program.h"

namespace tessera {
namespace {

using graph::TaskGraph;

bool is_same(const graph::MemoryAccess& a, const graph::MemoryAccess& b) {
  return a.memory == b.memory && a.reads == b.reads && a.writes == b.writes && a.box == b.box;
}

template <typename List>
bool are_same(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return is_same(x, y); });
}

bool is_same(const graph::Rectangle& a, const graph::Rectangle& b) {
  return a.memory == b.memory && a.box == b.box;
}

bool is_same(const graph::AccessList& a, const graph::AccessList& b) { return are_same(a, b); }

bool is_same(const graph::Action& a, const graph::Action& b) {
  return a.statement == b.statement && a.core == b.core && a.is_copy == b.is_copy &&
         a.scalars == b.scalars && a.loaded_scalars == b.loaded_scalars &&
         a.memories == b.memories && a.loads == b.loads && is_same(a.from(), b.from()) &&
         is_same(a.to(), b.to()) && a.adds == b.adds && a.stored_only == b.stored_only &&
         a.is_local == b.is_local && a.bytes == b.bytes && a.flops == b.flops;
}

bool is_same(const graph::Node& a, const graph::Node& b) {
  return a.kind == b.kind && a.core == b.core && a.statement == b.statement &&
         a.pipeline == b.pipeline && a.commit == b.commit && a.actions == b.actions &&
         !a.instance && !b.instance && a.bytes == b.bytes && a.flops == b.flops &&
         a.first_side == b.first_side && a.side_count == b.side_count;
}

bool is_same(const graph::NodeSide& a, const graph::NodeSide& b) {
  return a.node == b.node && a.kind == b.kind && are_same(a.accesses, b.accesses) &&
         a.predecessors == b.predecessors;
}

template <typename Key, typename T, typename Vector>
void expect_same(const Table<Key, T, Vector>& a, const Table<Key, T, Vector>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (const Key id : a.ids()) EXPECT_TRUE(is_same(a[id], b[id])) << what << " " << id.index;
}

void expect_same(const TaskGraph& a, const TaskGraph& b) {
  EXPECT_EQ(a.dead, b.dead);
  EXPECT_TRUE(a.memories == b.memories);
  expect_same(a.actions, b.actions, "action");
  expect_same(a.accesses, b.accesses, "touches");
  expect_same(a.nodes, b.nodes, "node");
  expect_same(a.sides, b.sides, "half");
}

TEST(MemoisedPipelines, unfold_to_the_graph_of_pipelines_that_are_all_run) {
  std::size_t folded = 0, instances = 0;
  std::vector<std::string> calls = test::shipped_calls();
  for (const char* call :
       {"all-reduce --devices 5 --m 12 --n 136 --calls 2",
        "reduce-scatter --devices 4 --m 264 --n 8 --calls 2",
        "matmul-rs --devices 8 --m 64 --k 64 --n 24 --tiling 4,8,8",
        "ag-matmul --devices 4 --m 16 --k 64 --n 16 --gather m --tiling 4,8,8",
        // The first access to the memory is in a pipeline that is not run.
        "ag-matmul --rings 0,1,2,3/4,5,6,7 --m 64 --k 256 --n 128 --tiling 64,64,64",
        "ring-of-experts --devices 4 --m 16 --k 16 --n 24 --groups 8 --top-k 2",
        "sharded-gmm --devices 4 --m 64 --k 16 --n 24 --groups 8"})
    calls.emplace_back(call);
  for (const std::string& call : calls) {
    SCOPED_TRACE(call);
    const auto target = test::graph_target(call);
    if (!target) continue;
    auto made = graph::folded_task_graph(target->prepared.simulate, target->how);
    const auto run_all = [&](const RunOptions& options) {
      RunOptions all = options;
      if (asks_at_once(options))
        all.rewrite = MoveAtOnce{{.memoise_pipelines = false, .batch_control_loads = true}};
      return target->prepared.simulate(all);
    };
    const auto expected = graph::task_graph(run_all, target->how);
    ASSERT_EQ(static_cast<bool>(made), static_cast<bool>(expected));
    if (!made || made->instances.all.empty()) continue;
    ++folded;
    instances += made->instances.all.size();
    EXPECT_LT(made->actions.size(), expected->actions.size());
    ASSERT_TRUE(graph::unfold(*made));
    EXPECT_TRUE(made->instances.all.empty());
    expect_same(*made, *expected);
  }
  EXPECT_GE(folded, 10U);
  EXPECT_GE(instances, 170U);
}

// For cores that are not selected, the graph only has the positions of their pipelines.
TEST(MemoisedPipelines, unfold_for_some_cores) {
  const auto target = test::graph_target("all-reduce --devices 3 --m 16 --n 8");
  ASSERT_TRUE(target);
  const auto whole = graph::task_graph(target->prepared.simulate, target->how);
  auto part = graph::folded_task_graph(target->prepared.simulate, target->how);
  ASSERT_TRUE(whole && part);
  ASSERT_FALSE(part->instances.all.empty());
  const auto is_wanted = [&](CoreIndex core) { return part->topology.device(core) == 2; };
  ASSERT_TRUE(graph::unfold(*part, is_wanted));
  EXPECT_TRUE(part->memories == whole->memories);
  expect_same(part->nodes, whole->nodes, "node");
  expect_same(part->sides, whole->sides, "half");
  ASSERT_EQ(part->actions.size(), whole->actions.size());
  int forgotten = 0;
  for (const graph::ActionId a : part->actions.ids()) {
    EXPECT_EQ(part->actions[a].statement, whole->actions[a].statement);
    EXPECT_EQ(part->actions[a].core, whole->actions[a].core);
    const bool is_there = is_same(part->actions[a], whole->actions[a]) &&
                          are_same(part->accesses[a], whole->accesses[a]);
    EXPECT_TRUE(is_there || !is_wanted(part->actions[a].core));
    forgotten += is_there ? 0 : 1;
  }
  EXPECT_GT(forgotten, 0);
}

const std::string header =
    "kernel k()\n  in a: f32[8, 16] hbm\n  in n: i32[2] smem\n  out o: f32[8, 16] hbm\n"
    "  hbm h: f32[8, 16]\n  vmem v: f32[4, 16]\n  vmem w: f32[4, 16]\n";

std::string pipeline(const std::string& rows, const std::string& from, const std::string& body) {
  return "  pipeline i in 2 parallel {\n    window x = " + from + "[" + rows +
         " +: 4, :]\n    window y = o[i * 4 +: 4, :]\n    " + body + "\n  }\n";
}

// Returns the number of pipelines, of four, that are not run.
std::size_t instances(const std::string& body) {
  test::SmallProgram program(header + "{\n  for j in 2 {\n" + body + "  }\n}\n", 2);
  const auto graph = program.folded_graph();
  if (!graph) ADD_FAILURE() << render(graph.diags());
  return graph ? graph->instances.all.size() : 99;
}

TEST(MemoisedPipelines, are_decided_by_the_scalars_around) {
  EXPECT_EQ(instances(pipeline("i * 4", "a", "y = x")), 3U);
  EXPECT_EQ(instances(pipeline("(i + j) mod 2 * 4", "a", "y = x")), 2U);
  EXPECT_EQ(instances("    u = view(a[j * 4 +: 4, :])\n" + pipeline("0", "u", "y = x")), 2U);
  EXPECT_EQ(instances("    r = real(device)\n" + pipeline("i * 4", "a", "y = x * r")), 2U);
  // The pipeline depends on its device, or on values in memory.
  EXPECT_EQ(instances(pipeline("(i + device) mod 2 * 4", "a", "y = x")), 0U);
  EXPECT_EQ(instances(pipeline("i * 4", "a", "y = x * real(device)")), 0U);
  EXPECT_EQ(instances(pipeline("n[i] * 4", "a", "y = x")), 0U);
}

void expect_same_verdicts(test::SmallProgram& program, SchedulesVerdict expected) {
  for (const bool knows : {true, false}) {
    const Certificate certificate =
        program.verdict(MoveAtOnce{{.memoise_pipelines = knows, .batch_control_loads = true}});
    EXPECT_EQ(certificate.verdict, expected) << knows;
  }
}

// Both devices read h. In the refuted program, only one of them has stored to its h.
TEST(MemoisedPipelines, are_for_what_is_defined) {
  const auto with = [](const std::string& condition) {
    return test::SmallProgram(header + "  sem s: bytes\n{\n  if " + condition +
                                  " {\n    start a -> h, s\n    wait s for h\n  }\n" +
                                  pipeline("i * 4", "h", "y = x") + "}\n",
                              2);
  };
  test::SmallProgram both = with("0 <= device"), one = with("device == 0");
  expect_same_verdicts(both, SchedulesVerdict::proved);
  expect_same_verdicts(one, SchedulesVerdict::refuted);
}

// The device whose pipeline is not run reads scratch that two points have written.
TEST(MemoisedPipelines, leave_what_their_points_store) {
  const auto with = [](const std::string& condition) {
    return test::SmallProgram(header + "{\n" + pipeline("i * 4", "a", "v = x\n    y = v") +
                                  "  if " + condition + " { w = v }\n}\n",
                              2);
  };
  test::SmallProgram nobody = with("device < 0"), first = with("device == 0"),
                     second = with("device == 1");
  expect_same_verdicts(nobody, SchedulesVerdict::proved);
  expect_same_verdicts(first, SchedulesVerdict::refuted);
  expect_same_verdicts(second, SchedulesVerdict::refuted);
}

// The folded graph is planned, but the unfolded graph is too large to run.
TEST(MemoisedPipelines, are_not_unfolded_to_more_than_a_graph_may_have) {
  test::SmallProgram program(header +
                             "{\n  for j in 2500 {\n    pipeline i in 1000 {\n"
                             "      window x = a[i mod 2 * 4 +: 4, :]\n      v = x\n    }\n  }\n" +
                             pipeline("i * 4", "a", "y = x") + "}\n");
  const auto folded = program.folded_graph();
  ASSERT_TRUE(folded) << render(folded.diags());
  EXPECT_EQ(folded->instances.all.size(), 2499U);
  const auto whole = program.graph();
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.diags().front().message,
            "no task graph: the run has more than 4000000 ops and copies");
}

TEST(MemoisedPipelines, count_as_if_they_were_run) {
  test::SmallProgram program(
      header + "  tile acc: f32[4, 4]\n{\n  for j in 3 {\n" +
          pipeline("(i + j) mod 2 * 4", "a", "acc = 0\n    acc += x . transpose(x)\n    y = x") +
          "  }\n}\n",
      2);
  const RunStats known = program.verdict(MoveAtOnce{}).run.stats,
                 run = program
                           .verdict(MoveAtOnce{
                               {.memoise_pipelines = false, .batch_control_loads = true}})
                           .run.stats;
  EXPECT_LT(known.ops, run.ops);
  EXPECT_EQ(known.steps, run.steps);
  EXPECT_EQ(known.dma_bytes, run.dma_bytes);
  EXPECT_EQ(known.matmul_flops, run.matmul_flops);
  EXPECT_EQ(known.peak_vmem, run.peak_vmem);
  EXPECT_EQ(known.peak_smem, run.peak_smem);
  EXPECT_EQ(known.peak_semaphores, run.peak_semaphores);
}

}  // namespace
}  // namespace tessera
