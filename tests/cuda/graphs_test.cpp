// Programs as CUDA graphs, from operands of the host to results there, with a driver that does a
// graph's nodes in any order that it allows (fake_driver.cpp) and kernels on the emulated
// multiprocessor.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "analysis/node_check/node_check_report.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/driver.h"
#include "kernels/programs/kernels.h"
#include "tests/cuda/fake_driver.h"
#include "tests/unit/cuda_emulated_graph.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {
namespace {

// The code of the kernels that the driver is told to run.
EmulatedKernel* code = nullptr;
std::string objection;

void run(const void* arguments, int ctas) {
  const auto* const bytes = static_cast<const std::byte*>(arguments);
  const std::string wrong = code->launch({bytes, bytes + 40}, ctas, 1);
  if (objection.empty()) objection = wrong;
}

class CudaGraphs : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
    if (!is_fake()) GTEST_SKIP() << "ctest runs this with a driver of its own";
    if (const Support here = compiler_available(); !here.ok) GTEST_SKIP() << here.reason;
    if (const Support fits = compiler_fits_driver(); !fits.ok) GTEST_SKIP() << fits.reason;
    ::setenv("TESSERA_CACHE", folder_.file("cache").c_str(), 1);
    entry<int(Context)>("cuCtxSetCurrent")(nullptr);
    refuse(false, false);
    objection.clear();
  }
  static void refuse(bool peers, bool updates) {
    entry<void(bool, bool)>("fake_refusals")(peers, updates);
  }

  // The results of the program on the device, in so many orders, are those of the interpreter. Of
  // one executable, so that the graph is launched again with other addresses.
  void expect_right(const std::string& words, const Program& structured, unsigned orders) {
    const test::GraphCase of = test::graph_case(words);
    const auto plan = graph_plan(std::make_shared<const graph::TaskGraph>(of.graph));
    ASSERT_TRUE(plan) << render(plan.diags());
    EmulatedKernel emulated(plan->kernel);
    ASSERT_EQ(emulated.problem(), "");
    code = &emulated;
    const auto executable = cuda_device().prepare(structured);
    ASSERT_TRUE(executable) << render(executable.diags());
    for (unsigned seed = 0; seed < orders; ++seed) {
      entry<void(void (*)(const void*, int), std::size_t, unsigned)>("fake_graph")(run, 40,
                                                                                   seed + 1);
      KeptRun once = test::copy_of(of.launch);
      const auto report = (*executable)->run(once.bindings(), {});
      ASSERT_TRUE(report) << render(report.diags());
      EXPECT_EQ(objection, "");
      EXPECT_TRUE(test::has_results(of, once)) << "order " << seed;
    }
  }

 private:
  TemporaryFolder folder_;
};

Program kernel_of(const std::string& name, const Settings& settings) {
  const Expected<Program> made = make_kernel(name, settings);
  if (!made) ADD_FAILURE() << render(made.diags());
  return *made;
}

// The same kernel as the command's, with its pipelines.
Program kernel_of(const std::string& name, const KeptRun& launch) {
  Settings settings;
  for (const Setting& setting : launch.program.settings) settings[setting.name] = setting.value;
  return kernel_of(name, settings);
}

const char* const all_reduce = "all-reduce --devices 4 --m 16 --n 8 --dtype i32";
Program all_reduce_program() {
  return kernel_of("ring_all_reduce",
                   {{"T", "i32"}, {"rows", "16"}, {"cols", "8"}, {"rings", "1"}, {"length", "4"}});
}

TEST_F(CudaGraphs, share_two_gpus_among_four_devices) {
  const int before[] = {launches(0), launches(1)};
  expect_right(all_reduce, all_reduce_program(), 4);
  EXPECT_GT(launches(0), before[0]);
  EXPECT_GT(launches(1), before[1]);
}

TEST_F(CudaGraphs, take_one_gpu_where_others_do_not_reach_its_memory) {
  refuse(true, false);
  const int before = launches(1);
  expect_right(all_reduce, all_reduce_program(), 2);
  EXPECT_EQ(launches(1), before);
}

// A caller's own memory and stream, launch after launch without a reset; tables of the ring are the
// host's.
TEST_F(CudaGraphs, are_launched_on_operands_of_the_callers) {
  const test::GraphCase of = test::graph_case(all_reduce);
  const auto plan = graph_plan(std::make_shared<const graph::TaskGraph>(of.graph));
  EmulatedKernel emulated(plan->kernel);
  ASSERT_EQ(emulated.problem(), "");
  code = &emulated;
  entry<void(void (*)(const void*, int), std::size_t, unsigned)>("fake_graph")(run, 40, 7);
  const Program program = all_reduce_program();
  const auto executable = cuda_device().prepare(program);
  ASSERT_TRUE(executable) << render(executable.diags());
  KeptRun once = test::copy_of(of.launch);
  std::vector<DeviceAddresses> addresses;
  std::vector<DeviceBinding> control, none(4);
  for (DeviceBinding& device : once.bindings()) {
    addresses.emplace_back();
    for (const auto& [name, tensor] : device)
      addresses.back()[name] = reinterpret_cast<std::uintptr_t>(tensor->data());
    control.push_back({{"ring", device.at("ring")}, {"position", device.at("position")}});
  }
  const auto refused = (*executable)->launch_all(addresses, none, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.diags()[0].message.find("`ring` of device 0 decides the control flow"),
            std::string::npos);
  void* stream = nullptr;
  entry<int(void**, unsigned)>("cuStreamCreate")(&stream, 1);
  const auto captures = [&](bool begins) {
    entry<void(void*, bool)>("fake_capture")(stream, begins);
  };
  // The first two while the stream is captured, where a graph is made and where there is one.
  for (int launch = 0; launch < 4; ++launch) {
    captures(launch < 2);
    const auto done = (*executable)->launch_all(addresses, control, stream);
    captures(false);
    ASSERT_TRUE(done) << render(done.diags());
    EXPECT_TRUE(test::has_results(of, once)) << "launch " << launch;
  }
  // What a capture has of the graph may be replayed at any time, with the operands that it had.
  addresses[0]["x"] = addresses[1]["x"];
  const auto moved = (*executable)->launch_all(addresses, control, stream);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.diags()[0].code, ErrorCode::unsupported);
  entry<int(void*)>("cuStreamDestroy_v2")(stream);
}

// What fast kernels compute the tests of single kernels show; here, that they are nodes.
TEST_F(CudaGraphs, have_fast_kernels_for_products) {
  entry<void(void (*)(const void*, int), std::size_t, unsigned)>("fake_graph")(nullptr, 40, 1);
  const test::GraphCase of = test::graph_case(
      "sharded-gmm --devices 2 --group-sizes 5,0,20,9 --k 64 --n 128 --tiling 16,64,64");
  const auto executable = cuda_device().prepare(kernel_of("sharded_gmm", of.launch));
  ASSERT_TRUE(executable) << render(executable.diags());
  KeptRun once = test::copy_of(of.launch);
  const int before = launches(0) + launches(1);
  const auto report = (*executable)->run(once.bindings(), {});
  ASSERT_TRUE(report) << render(report.diags());
  EXPECT_GT(launches(0) + launches(1), before);
  EXPECT_NE((*executable)->notes().front().find(" of them by fast kernels"), std::string::npos);
  EXPECT_EQ((*executable)->notes().front().find(", 0 of them"), std::string::npos);
}

// With --check-nodes each node's writes are compared with the interpreter's; a kernel that does
// nothing is found at the line that it is of.
TEST_F(CudaGraphs, are_compared_with_the_interpreter_node_by_node) {
  const test::GraphCase of = test::graph_case(all_reduce);
  GraphPlanOptions options;
  options.max_steps = std::numeric_limits<std::size_t>::max();
  const auto plan = graph_plan(std::make_shared<const graph::TaskGraph>(of.graph), options);
  ASSERT_TRUE(plan) << render(plan.diags());
  EmulatedKernel emulated(plan->kernel);
  ASSERT_EQ(emulated.problem(), "");
  code = &emulated;
  const auto executable = cuda_device().prepare(all_reduce_program());
  ASSERT_TRUE(executable) << render(executable.diags());
  for (const bool is_broken : {false, true}) {
    entry<void(void (*)(const void*, int), std::size_t, unsigned)>("fake_graph")(
        is_broken ? nullptr : run, 40, 1);
    KeptRun once = test::copy_of(of.launch);
    const auto bindings = once.bindings();
    graph::NodeCheckReport checked;
    RunOptions options;
    options.observers = {&checked};
    const auto report = (*executable)->run(bindings, {.interpreter = &options});
    ASSERT_TRUE(report) << render(report.diags());
    EXPECT_EQ(checked.runs, 1);
    EXPECT_GT(checked.tally.compared, 0);
    EXPECT_EQ(checked.tally.differ > 0, is_broken);
    ASSERT_EQ(report->findings.size(), is_broken ? 1U : 0U);
    if (!is_broken) {
      EXPECT_EQ(checked.tally.same, checked.tally.compared);
      EXPECT_TRUE(test::has_results(of, once));
    } else {
      EXPECT_EQ(report->findings[0].kind, FindingKind::mismatch);
      EXPECT_TRUE(report->findings[0].at.loc);
    }
  }
}

TEST_F(CudaGraphs, are_made_anew_where_the_driver_does_not_change_one) {
  refuse(false, true);
  expect_right(all_reduce, all_reduce_program(), 2);
}

}  // namespace
}  // namespace tessera::cuda
