// The rows M2, M3, M11, M15 and M16 of ejKernel's module layer: names of platforms, and where an
// algorithm runs.
#include <gtest/gtest.h>

#include <string>

#include "devices/devices.h"
#include "tests/conformance/operation_case.h"

namespace tessera {
namespace {

using operation::Config;
using operation::Example;
using operation::expect_error;

TEST(Operation, M2_the_operation_has_an_id_for_each_algorithm) {
  Example example(32, 16, 16, {32});
  EXPECT_EQ(tuning_problem(example.operands(), example.call)->algorithm(), "grouped_matmul");
  example.call.use_v2 = true;
  EXPECT_EQ(tuning_problem(example.operands(), example.call)->algorithm(), "grouped_matmulv2");
}

TEST(Operation, M3_an_implementation_is_found_by_platform_and_backend) {
  const auto found = [](Platform platform, Backend backend = Backend::Any) {
    return *resolve_platform("grouped_matmul", platform, backend);
  };
  // The interpreter is for every backend, CUDA for GPUs.
  for (const Backend backend : {Backend::Any, Backend::Gpu, Backend::Tpu, Backend::Cpu})
    EXPECT_EQ(found(Platform("interpreter"), backend), Platform("interpreter"));
  EXPECT_EQ(found(Platform("cuda")), Platform("cuda"));
  EXPECT_EQ(found(Platform("cuda"), Backend::Gpu), Platform("cuda"));
  EXPECT_EQ(found(Platform::Reference), Platform::Reference);
  const auto on_cpu = resolve_platform("grouped_matmul", Platform("cuda"), Backend::Cpu);
  expect_error(on_cpu, ErrorCode::invalid_value,
               "No implementation found for algorithm=grouped_matmul, platform=cuda, backend=cpu");
  ASSERT_EQ(on_cpu.diags()[0].notes.size(), 1u);
  EXPECT_EQ(on_cpu.diags()[0].notes[0].message,
            "there are cuda on gpu, interpreter on any, threads on any, mpi on any, reference on "
            "any");
}

TEST(Operation, M11_platforms_have_the_sources_names) {
  for (const char* known : {"triton", "pallas", "cuda", "xla", "auto"}) {
    ASSERT_TRUE(parse_platform(known));
    EXPECT_EQ(name(*parse_platform(known)), known);
  }
  expect_error(
      parse_platform("rocm"), ErrorCode::invalid_value,
      "'rocm' is not a platform: expected one of auto, triton, pallas, xla, cuda, interpreter, "
      "threads, mpi, reference");
  Example example(32, 16, 16, {32});
  example.call.platform = Platform("cuda");
  expect_error(example.run(), ErrorCode::invalid_value,
               "interpret selects the interpreter, and the platform is cuda");
}

// The original took XLA on a TPU, and never returned for XLA without an implementation.
TEST(Operation, M15_auto_is_the_best_device_and_a_miss_is_an_error) {
  const bool has_gpu = find_device(Platform("cuda"))->available().ok;
  EXPECT_EQ(*resolve_platform("grouped_matmul", Platform::Auto),
            has_gpu ? Platform("cuda") : Platform("interpreter"));
  Example example(32, 16, 16, {32});
  example.call.interpret = false;
  for (const Platform platform : {Platform::Xla, Platform::Pallas, Platform::Triton}) {
    const std::string named(name(platform));
    example.call.use_v2 = false;
    example.call.platform = platform;
    expect_error(example.run(), ErrorCode::invalid_value,
                 "No implementation found for algorithm=grouped_matmul, platform=" + named +
                     ", backend=any");
    example.call.use_v2 = true;
    example.call.platform.reset();
    example.call.cfg = Config();
    example.call.cfg->platform = platform;
    example.call.cfg->backend = Backend::Tpu;
    expect_error(example.run(), ErrorCode::invalid_value,
                 "No implementation found for algorithm=grouped_matmulv2, platform=" + named +
                     ", backend=tpu");
    example.call.cfg.reset();
  }
}

TEST(Operation, M16_platforms_take_the_same_call) {
  Example example(60, 24, 40, {20, 25}, true);
  example.call.interpret = false;
  example.call.precision = Precision::Highest;
  const Tensor existing =
      grouped::made(DType::f32, {60, 40}, FillRole::existing, Fill::integers, 24, 3);
  for (const ExistingOut mode : {ExistingOut::Accumulate, ExistingOut::Overwrite}) {
    example.call.existing_mode = mode;
    for (const Platform platform :
         {Platform("interpreter"), Platform("threads"), Platform::Reference}) {
      example.call.platform = platform;
      operation::expect_equal(example.run(&existing), example.expected(&existing, mode));
    }
  }
}

}  // namespace
}  // namespace tessera
