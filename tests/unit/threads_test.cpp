// Task graphs on threads: subtasks of nodes, in random valid orders with delays, have the
// interpreter's results.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "devices/threads/task_run.h"
#include "devices/threads/threads_device.h"
#include "kernels/programs/kernels.h"
#include "tests/source_dir.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/graph_lines.h"

namespace tessera {
namespace {

using test::graph_case;
using test::GraphCase;

// The smallest subtasks.
constexpr std::int64_t smallest = 1;

// Once in commit order, then in random orders.
void expect_right(const GraphCase& of, unsigned orders) {
  const std::vector<graph::Task> tasks = graph::tasks(of.graph, smallest);
  for (unsigned seed = 0; seed < orders; ++seed) {
    KeptRun run = test::copy_of(of.launch);
    const auto bindings = run.bindings();
    graph::GraphMemory memories(of.graph, bindings);
    const auto config = graph::worker_config(of.graph, Math::exact);
    ASSERT_TRUE(config);
    TaskRunOptions how{.threads = 3};
    if (seed > 0) how.shuffle = seed;
    const TaskRunEnd end = run_tasks(tasks, memories, **config, how);
    EXPECT_TRUE(end.findings.empty());
    EXPECT_TRUE(test::has_results(of, run)) << "order " << seed;
  }
}

std::size_t works(const GraphCase& of) {
  std::size_t count = 0;
  for (const graph::Task& task : graph::tasks(of.graph, smallest))
    count += task.kind == graph::TaskKind::work ? 1 : 0;
  return count;
}

TEST(Threads, give_the_results_of_every_kernel) {
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_dir() + "/kernels/programs"))
    for (const std::string& call : test::lines_behind(file.path(), "// small call: ")) {
      SCOPED_TRACE(call);
      expect_right(graph_case(call), 8);
    }
}

TEST(Threads, give_the_bits_of_plain_arithmetic) {
  for (const char* words :
       {"gmm --group-sizes 5,0,9,40 --k 96 --n 64 --tiling 8,32,32",
        "tgmm --group-sizes 5,0,9,40 --k 96 --n 64 --tiling 8,32,32",
        "all-reduce --devices 4 --m 4 --n 8", "reduce-scatter --devices 4 --m 16 --n 8",
        "matmul-rs --devices 4 --m 64 --k 64 --n 16 --tiling 8,16,16",
        "ag-matmul --devices 4 --m 16 --k 64 --n 16 --tiling 8,16,16",
        "ring-of-experts --devices 4 --m 8 --k 32 --n 16 --groups 8"}) {
    SCOPED_TRACE(words);
    expect_right(graph_case(std::string(words) + " --fill normal"), 20);
  }
}

TEST(Threads, give_the_results_of_good_programs_of_the_suite) {
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(test::source_dir() + "/tests/suite")) {
    if (!file.path().filename().string().starts_with("good_")) continue;
    for (const std::string& run : test::lines_behind(file.path(), "// RUN: verify")) {
      const std::string text = file.path().string() + run;
      SCOPED_TRACE(text);
      if (test::has_graph(text)) expect_right(graph_case(text), 8);
    }
  }
}

// Each result tile is a subtask. Slots and sums are private, and each subtask fetches the blocks
// that the pipeline would reuse from a slot.
TEST(Threads, share_a_pipeline_by_tiles_of_the_result) {
  EXPECT_EQ(works(graph_case("gmm --group-sizes 32 --k 96 --n 64 --tiling 8,32,32")), 8U);
  // Rows of two groups in one result block, stored separately.
  EXPECT_EQ(works(graph_case("gmm --group-sizes 4,28 --k 96 --n 64 --tiling 8,32,32")), 10U);
  EXPECT_GE(works(graph_case("ag-matmul --devices 2 --m 16 --k 64 --n 32 --tiling 8,16,16")), 16U);
}

TEST(Threads, end_where_they_are_asked_to) {
  const GraphCase of = graph_case("all-reduce --devices 4 --m 4 --n 8");
  const std::vector<graph::Task> tasks = graph::tasks(of.graph);
  KeptRun run = test::copy_of(of.launch);
  const auto bindings = run.bindings();
  graph::GraphMemory memories(of.graph, bindings);
  const std::atomic<bool> stop = true;
  const TaskRunEnd end = run_tasks(tasks, memories, **graph::worker_config(of.graph, Math::exact),
                                   {.threads = 2, .stop = &stop});
  EXPECT_TRUE(end.is_stopped);
}

// A cached graph is only valid for one verdict: the verdict on a sequential loop does not apply to
// a parallel loop.
TEST(Threads, plan_anew_where_only_a_loop_became_parallel) {
  const auto problem = [](const char* mark) {
    const std::string text = std::string(R"(kernel last_wins()
  in   a: i32[4, 8] hbm
  out  o: i32[2, 8] hbm
{
  for i in 4)") + mark + R"( { copy a[i, :] -> o[i / 2, :] }
}
)";
    const auto module = parse(std::make_shared<const Source>(Source{"last_wins", text}));
    const auto program = instantiate(*module, "last_wins", {}, *function_library());
    Tensor a(DType::i32, {4, 8}), o(DType::i32, {2, 8});
    const auto report = threads_device().run(*program, {{{"a", &a}, {"o", &o}}}, {});
    return report ? std::string() : render(report.diags());
  };
  EXPECT_EQ(problem("         "), "");
  EXPECT_NE(problem(" parallel").find("is refuted: race"), std::string::npos);
}

}  // namespace
}  // namespace tessera
