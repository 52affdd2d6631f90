// Task graphs as CUDA graphs: their steps, run in random valid orders on the emulated
// multiprocessor, have the interpreter's results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analysis/certificate/points/judged_points.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"
#include "tests/fuzz/engines/engine_case.h"
#include "tests/fuzz/larger/random_kernel.h"
#include "tests/source_dir.h"
#include "tests/unit/cuda_emulated_graph.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/graph_lines.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {
namespace {

using test::graph_case;
using test::GraphCase;

class CudaTaskGraph : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
  }
};

// Few threads, because the emulation runs them sequentially, and small subtasks, so that there are
// many of them.
GraphPlanOptions small_plan() { return {.smallest = 1, .threads = 32}; }

Expected<GraphPlan> plan_of(const GraphCase& of, const GraphPlanOptions& options = small_plan()) {
  return graph_plan(std::make_shared<const graph::TaskGraph>(of.graph), options);
}

// Expects the same bits for integer operands, in `orders` random orders.
void expect_right(const GraphCase& of, unsigned orders,
                  const GraphPlanOptions& options = small_plan()) {
  const Expected<GraphPlan> plan = plan_of(of, options);
  ASSERT_TRUE(plan) << render(plan.diags());
  EmulatedGraph emulated(*plan);
  ASSERT_EQ(emulated.problem(), "");
  for (unsigned seed = 0; seed < orders; ++seed) {
    KeptRun run = test::copy_of(of.launch);
    ASSERT_EQ(emulated.run(run.bindings(), seed), "");
    EXPECT_TRUE(test::has_results(of, run)) << "order " << seed;
  }
}

std::vector<std::string> small_calls() {
  std::vector<std::string> calls;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_dir() + "/kernels/programs"))
    for (const std::string& call : test::lines_behind(file.path(), "// small call: "))
      calls.push_back(call);
  return calls;
}

TEST_F(CudaTaskGraph, of_every_kernel_gives_the_interpreters_results) {
  for (const std::string& call : small_calls()) {
    SCOPED_TRACE(call);
    expect_right(graph_case(call), 3);
  }
}

// bf16 products with contraction steps and columns that are multiples of the fast kernels' tiles.
// No tile is computed by the general kernel.
const char* const products[] = {
    "ag-matmul --devices 2 --m 72 --k 256 --n 64 --tiling 24,64,64",
    "ag-matmul --gather m --devices 2 --m 32 --k 128 --n 64 --tiling 16,64,64",
    "matmul-rs --devices 2 --m 64 --k 128 --n 64 --tiling 16,64,64 --dtype bf16",
    "ep-gmm --devices 2 --m 40 --k 64 --n 64 --groups 4 --tiling 16,64,64",
    "sharded-gmm --devices 2 --group-sizes 5,0,20,9 --k 64 --n 128 --tiling 16,64,64",
    // Tiles that are larger than the problem, padded with zeros.
    "ep-gmm --devices 2 --m 40 --k 64 --n 64 --groups 4"};

TEST_F(CudaTaskGraph, gives_products_to_the_fast_kernels) {
  for (const char* words : products) {
    SCOPED_TRACE(words);
    const GraphCase of = graph_case(words);
    const Expected<GraphPlan> plan = plan_of(of);
    ASSERT_TRUE(plan) << render(plan.diags());
    EXPECT_FALSE(plan->products.empty());
    expect_right(of, 3);
  }
}

// Products that the fast kernels do not support: half a contraction step, columns next to another
// tile's columns, f32, and a machine without fast kernels.
TEST_F(CudaTaskGraph, gives_others_to_the_general_kernel) {
  const auto products_of = [](const std::string& words, bool has_fast = true) {
    GraphPlanOptions options = small_plan();
    options.has_fast = has_fast;
    return plan_of(graph_case(words), options)->products.size();
  };
  EXPECT_GT(products_of("ag-matmul --devices 2 --m 72 --k 256 --n 64 --tiling 24,64,64"), 0U);
  EXPECT_EQ(products_of("ag-matmul --devices 2 --m 72 --k 256 --n 64 --tiling 24,64,64", false),
            0U);
  EXPECT_EQ(products_of("ag-matmul --devices 2 --m 72 --k 192 --n 64 --tiling 24,96,64"), 0U);
  EXPECT_EQ(products_of("ag-matmul --devices 2 --m 72 --k 256 --n 96 --tiling 24,64,32"), 0U);
  EXPECT_EQ(products_of("ep-gmm --devices 2 --m 40 --k 64 --n 64 --groups 4 --tiling 16,64,64 "
                        "--dtype f32"),
            0U);
}

// Merged steps, as for graphs with more steps than the driver should get.
TEST_F(CudaTaskGraph, of_few_large_steps_gives_the_same) {
  GraphPlanOptions few = small_plan();
  few.max_steps = 1;
  for (const char* words : {"reduce-scatter --devices 4 --m 16 --n 8",
                            "ag-matmul --devices 4 --m 16 --k 64 --n 16 "
                            "--tiling 8,8,8"}) {
    SCOPED_TRACE(words);
    const GraphCase of = graph_case(words);
    EXPECT_LT(plan_of(of, few)->steps.size(), plan_of(of)->steps.size());
    expect_right(of, 5, few);
  }
}

// Counts of removed edges: `shown` ones change the results, `implied` ones are implied by other
// edges, and `unseen` ones have no effect on the results.
struct Losses {
  int shown = 0, implied = 0, unseen = 0;
  bool operator==(const Losses&) const = default;
};
Losses losses(const GraphCase& of) {
  const Expected<GraphPlan> plan = plan_of(of);
  EmulatedGraph emulated(*plan);
  Losses lost;
  for (std::size_t s = 0; s < plan->steps.size(); ++s)
    for (const std::size_t before : plan->steps[s].before) {
      if (emulated.order_without(before, s).empty()) {
        ++lost.implied;
        continue;
      }
      KeptRun run = test::copy_of(of.launch);
      EXPECT_EQ(emulated.run_without(run.bindings(), before, s), "");
      ++(test::has_results(of, run) ? lost.unseen : lost.shown);
    }
  return lost;
}

// Removed edges have no effect with integers if they order additions to the same sums, or kernels
// of one device that share scratch of their CTAs: the emulation runs these one after the other.
TEST_F(CudaTaskGraph, needs_its_edges) {
  EXPECT_EQ(losses(graph_case("all-gather --devices 4 --m 8 --n 8")), (Losses{24, 0, 0}));
  EXPECT_EQ(losses(graph_case("all-reduce --devices 4 --m 4 --n 8")), (Losses{48, 8, 8}));
  EXPECT_EQ(losses(graph_case("ag-matmul --devices 4 --m 8 --k 32 --n 8 --tiling 8,8,8")),
            (Losses{40, 0, 0}));
}

// Returns the devices of a ring by position, in shuffled order.
std::string ring_of(int length) {
  std::vector<int> devices(static_cast<std::size_t>(length));
  std::iota(devices.begin(), devices.end(), 0);
  std::shuffle(devices.begin(), devices.end(), std::minstd_rand(7));
  std::string ring;
  for (const int device : devices) ring += (ring.empty() ? "" : ",") + std::to_string(device);
  return ring;
}

// Rings of 2 to 16 devices; only a few of them without TESSERA_ALL_PROGRAMS.
TEST_F(CudaTaskGraph, of_rings_of_every_length_gives_the_interpreters_results) {
  const bool all = std::getenv("TESSERA_ALL_PROGRAMS") != nullptr;
  for (int length = 2; length <= 16; ++length) {
    if (!all && length != 3 && length != 6) continue;
    const std::string ring = " --rings " + ring_of(length), rows = std::to_string(4 * length),
                      terms = std::to_string(16 * length);
    for (const std::string& words :
         {"all-gather --m 5 --n 8" + ring, "all-reduce --n 8 --m " + rows + ring,
          "reduce-scatter --n 8 --m " + rows + ring,
          "ag-matmul --m 8 --n 16 --tiling 8,16,16 --k " + terms + ring}) {
      SCOPED_TRACE(words);
      expect_right(graph_case(words), 2);
    }
  }
}

std::vector<std::filesystem::path> suite() {
  std::vector<std::filesystem::path> files;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(test::source_dir() + "/tests/suite"))
    files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Correct programs of the suite; only some of them without TESSERA_ALL_PROGRAMS, because each one
// is compiled.
TEST_F(CudaTaskGraph, of_good_programs_of_the_suite_gives_the_interpreters_results) {
  const char* const all = std::getenv("TESSERA_ALL_PROGRAMS");
  const int step = all != nullptr ? 1 : 12;
  int number = 0;
  for (const std::filesystem::path& file : suite()) {
    if (!file.filename().string().starts_with("good_")) continue;
    for (const std::string& run : test::lines_behind(file, "// RUN: verify")) {
      const std::string text = file.string() + run;
      if (number++ % step != 0 || !test::has_graph(text)) continue;
      SCOPED_TRACE(text);
      expect_right(graph_case(text), 3);
    }
  }
}

// Random proved programs with copies, sums, points and pipelines, for several devices and cores.
// Each one is compiled.
TEST_F(CudaTaskGraph, of_random_programs_gives_the_interpreters_results) {
  const char* const asked = std::getenv("TESSERA_EMULATED_PROGRAMS");
  const int count = asked != nullptr ? std::atoi(asked) : 6;
  const char* const first = std::getenv("TESSERA_EMULATED_SEED");
  TemporaryFolder folder;
  std::uint64_t seed = first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
  for (int tried = 0; tried < count; ++seed) {
    const fuzz::RandomKernel kernel = fuzz::KernelMaker(seed).make();
    const std::string file = folder.file("random.tsr");
    std::ofstream(file) << kernel.text;
    const std::string words = file + " --devices " + std::to_string(kernel.devices) + " --cores " +
                              std::to_string(kernel.cores);
    if (!test::has_graph(words)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + kernel.text);
    ++tried;
    expect_right(graph_case(words), 3);
  }
}

// Returns the graph of a random program of several pipelines, or nothing if it is rejected.
std::optional<GraphCase> pipelines_case(const fuzz::EngineCase& of) {
  const auto expected = fuzz::interpreted(of);
  if (!expected) return std::nullopt;
  KeptRun run = fuzz::copy_of(of.run);
  JudgedPoints points(of.structured);
  const auto bindings = run.bindings();
  CertifyOptions how;
  how.run = run.options;
  auto graph = graph::task_graph(
      [&](const RunOptions& options) { return points.run(run.program, bindings, options); }, how);
  if (!graph && graph.diags().front().code != ErrorCode::unsupported)
    ADD_FAILURE() << render(graph.diags());
  if (!graph) return std::nullopt;
  return GraphCase{*std::move(graph), std::move(run), fuzz::copy_of(*expected).operands};
}

// Programs of several pipelines, some without iterations. Each is compiled once, and run with
// several tables of sizes.
TEST_F(CudaTaskGraph, of_random_pipelines_gives_the_interpreters_results) {
  const char* const asked = std::getenv("TESSERA_EMULATED_PIPELINES");
  const int count = asked != nullptr ? std::atoi(asked) : 20;
  const char* const first = std::getenv("TESSERA_EMULATED_SEED");
  constexpr int tables = 20;
  std::uint64_t seed = first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
  int run = 0, compiled = 0;
  for (; run < count; ++seed) {
    fuzz::EngineCase of = fuzz::engine_case(seed);
    std::map<std::string, std::shared_ptr<EmulatedKernel>> kernels;
    for (int table = 0; table < tables && run < count; ++table) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", table " + std::to_string(table) + "\n" +
                   of.text);
      fuzz::fill_operands(of.run, of.same_sizes, seed * tables + static_cast<unsigned>(table));
      const std::optional<GraphCase> graph = pipelines_case(of);
      if (!graph) continue;
      const auto plan = plan_of(*graph);
      ASSERT_TRUE(plan) << render(plan.diags());
      if (plan->steps.empty()) continue;
      std::shared_ptr<EmulatedKernel>& kernel = kernels[plan->kernel.source];
      if (kernel == nullptr) kernel = std::make_shared<EmulatedKernel>(plan->kernel), ++compiled;
      EmulatedGraph emulated(*plan, kernel);
      ASSERT_EQ(emulated.problem(), "");
      KeptRun once = test::copy_of(graph->launch);
      ASSERT_EQ(emulated.run(once.bindings(), seed), "");
      EXPECT_TRUE(test::has_results(*graph, once));
      ++run;
    }
  }
  RecordProperty("programs", run);
  RecordProperty("compiled", compiled);
}

TEST_F(CudaTaskGraph, compiles_its_products) {
  if (const Support here = compiler_available(); !here.ok) GTEST_SKIP() << here.reason;
  for (const char* words : products) {
    SCOPED_TRACE(words);
    const auto plan = plan_of(graph_case(words));
    for (const ListedProduct& product : plan->products) {
      const auto compiled = compile(product.kernel);
      ASSERT_TRUE(compiled) << render(compiled.diags());
      EXPECT_EQ(objection(read_log(compiled->log), product.kernel.threads, 4), "") << compiled->log;
      break;  // all have the same source except for numbers
    }
  }
}

TEST_F(CudaTaskGraph, compiles_for_machines_from_8_0_on_without_spills) {
  if (const Support here = compiler_available(); !here.ok) GTEST_SKIP() << here.reason;
  for (const std::string& call : small_calls()) {
    SCOPED_TRACE(call);
    const auto plan = plan_of(graph_case(call), {});
    ASSERT_TRUE(plan) << render(plan.diags());
    for (const char* architecture : {"sm_80", "sm_90"}) {
      LoweredKernel kernel = plan->kernel;
      kernel.architecture = architecture;
      const auto compiled = compile(kernel);
      ASSERT_TRUE(compiled) << render(compiled.diags());
      const CompilerFigures figures = read_log(compiled->log);
      EXPECT_EQ(figures.spill_stores + figures.spill_loads, 0) << compiled->log;
      EXPECT_LT(compiled->cpu_seconds, 5);
    }
  }
}

}  // namespace
}  // namespace tessera::cuda
