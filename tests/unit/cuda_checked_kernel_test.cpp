// A program that is one CUDA kernel is one node. Its results are compared with the interpreter's.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "devices/cuda/graph/checked_run.h"
#include "tests/unit/graph_case.h"

namespace tessera::cuda {
namespace {

struct Outcome {
  graph::NodeCheckReport checked;
  DeviceReport report;
};

// Simulates a kernel with the interpreter's results, modified by `change`.
Outcome checked(const test::GraphCase& of, double sum_error,
                const std::function<void(Tensor&)>& change) {
  KeptRun run = test::copy_of(of.launch);
  const DeviceBinding binding = run.bindings().front();
  const auto kernel = [&]() -> Expected<void> {
    Tensor& out = *binding.at("out");
    std::copy_n(of.expected[0].find("out")->second.data(), out.bytes(), out.data());
    change(out);
    return {};
  };
  Outcome outcome;
  const auto graph = std::make_shared<const graph::TaskGraph>(of.graph);
  const auto done = run_checked(graph, binding, of.launch.options, sum_error, kernel,
                                outcome.checked, outcome.report);
  EXPECT_TRUE(done) << render(done.diags());
  return outcome;
}

const std::string gmm = "gmm --group-sizes 5,0,9 --k 16 --n 24 --dtype f32 --tiling 8,8,8 ";

TEST(CudaCheckedKernel, is_compared_where_it_writes) {
  const test::GraphCase of = test::graph_case(gmm);
  const Outcome same = checked(of, 0, [](Tensor&) {});
  EXPECT_EQ(same.checked.runs, 1);
  EXPECT_EQ(same.checked.tally.compared, 1);
  EXPECT_EQ(same.checked.tally.same, 1);
  EXPECT_TRUE(same.report.findings.empty());
  const Outcome other = checked(of, 0, [](Tensor& out) { out.as<float>()[7 * 24 + 5] += 1; });
  EXPECT_EQ(other.checked.tally.differ, 1);
  ASSERT_EQ(other.report.findings.size(), 1U);
  EXPECT_EQ(other.report.findings[0].kind, FindingKind::mismatch);
  EXPECT_TRUE(other.report.findings[0].at.loc);
  EXPECT_NE(other.report.findings[0].message.find("[7, 5]"), std::string::npos)
      << other.report.findings[0].message;
}

// Matrix units that truncate terms have larger errors than rounding, but not larger than sum_error.
TEST(CudaCheckedKernel, may_lose_what_its_products_lose) {
  const test::GraphCase of = test::graph_case(gmm + "--fill normal");
  const auto change = [](Tensor& out) { out.as<float>()[0] *= 1 - 0x1p-14F; };
  EXPECT_EQ(checked(of, 0, change).checked.tally.differ, 1);
  EXPECT_EQ(checked(of, 0x1p-13, change).checked.tally.within, 1);
  // Integers must still have equal bits.
  const test::GraphCase whole = test::graph_case(gmm);
  EXPECT_EQ(checked(whole, 0x1p-20, change).checked.tally.differ, 1);
}

}  // namespace
}  // namespace tessera::cuda
