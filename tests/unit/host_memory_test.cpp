// Missing memory is a diagnostic, wherever an allocation fails.
#include "core/host/host_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/certificate/certificate.h"
#include "cli/args/host_memory.h"
#include "core/report/stop.h"
#include "interp/memory/host_need.h"
#include "kernels/collective/all_gather.h"
#include "kernels/collective/rings.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/fill.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using testing::Operands;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_cap = false;  // sanitizers reserve more than they use
#else
constexpr bool can_cap = true;
#endif
constexpr std::int64_t mebi = 1 << 20;

void expect_no_memory(const Diags& diags) {
  ASSERT_FALSE(diags.empty());
  EXPECT_EQ(diags.front().code, ErrorCode::environment);
  EXPECT_NE(diags.front().message.find("no memory for "), std::string::npos) << render(diags);
  EXPECT_NE(diags.front().message.find("(a test)"), std::string::npos) << render(diags);
}

// Limits further allocations to `bytes`.
class Left {
 public:
  explicit Left(std::int64_t bytes) : cap_(taken() + bytes, "a test") {}

 private:
  static std::int64_t taken() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0;
    for (int i = 0; i < 6; ++i) statm >> pages;
    return pages * 4096;
  }
  MemoryCap cap_;
};

Program expanded(const std::string& text) {
  auto program = test::program(text);
  EXPECT_TRUE(program) << (program ? "" : test::messages(program.diags()));
  return *expand(*program);
}

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(host_memory, limits_of_cgroups_are_those_of_all_around) {
  const TemporaryFolder folder;
  const std::string v2 = folder.file("v2"), v1 = folder.file("v1");
  write(v2 + "/a/b/memory.max", "max\n");
  write(v2 + "/a/memory.max", "3000000\n");
  write(v1 + "/c/memory.limit_in_bytes", "9223372036854771712\n");  // no limit, in version 1
  const std::string mounts =
      "25 30 0:22 / /sys rw shared:7 - sysfs sysfs rw\n"
      "31 25 0:27 / " +
      v2 +
      " rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
      "32 25 0:28 /outer " +
      v1 +
      " rw shared:10 - cgroup cgroup rw,memory\n"
      "33 25 0:29 / /elsewhere rw - cgroup cgroup rw,cpu,cpuacct\n";
  const auto limit = [&](const std::string& cgroups) {
    return cgroup_memory_limit(cgroups, mounts);
  };
  EXPECT_EQ(limit("0::/a/b\n"), 3000000);
  EXPECT_EQ(limit("0::/\n"), no_memory_limit);
  EXPECT_EQ(limit("5:memory:/outer/c\n3:cpu,cpuacct:/x\n"), no_memory_limit);
  write(v1 + "/memory.limit_in_bytes", "2000000\n");
  EXPECT_EQ(limit("5:memory:/outer/c\n3:cpu,cpuacct:/x\n"), 2000000);
  EXPECT_EQ(limit("0::/a/b\n5:memory:/outer/c\n"), 2000000);
  EXPECT_EQ(limit(""), 2000000);  // own cgroup unknown: limit of the mount
}

TEST(host_memory, the_lowest_limit_is_told_with_its_name) {
  const MemoryLimit before = memory_limit();
  EXPECT_GT(before.bytes, 0);
  EXPECT_FALSE(before.by.empty());
  if (!can_cap) GTEST_SKIP() << "no limit of data under a sanitizer";
  {
    const MemoryCap cap(900 * mebi, "a test");
    EXPECT_EQ(memory_limit().bytes, 900 * mebi);
    EXPECT_EQ(memory_limit().by, "a test");
    EXPECT_LT(memory_limit().left, 900 * mebi);
    const Diags refused = cli::check_host_memory({{DType::f32, {1024, 1024, 250}}});
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].code, ErrorCode::environment);
    EXPECT_NE(refused[0].message.find("left of 900 MiB (a test)"), std::string::npos)
        << refused[0].message;
  }
  EXPECT_EQ(memory_limit().by, before.by);
}

TEST(host_memory, tensors_and_operations_say_what_is_missing) {
  if (!can_cap) GTEST_SKIP() << "no limit of data under a sanitizer";
  const Tensor lhs(DType::bf16, {4096, 64}), rhs(DType::bf16, {1, 64, 16384});
  Tensor sizes(DType::i32, {1});
  sizes.set(0, 4096);
  const Left left(64 * mebi);
  const auto tensor = Tensor::allocate(DType::f32, {8192, 8192});
  ASSERT_FALSE(tensor);
  expect_no_memory(tensor.diags());
  EXPECT_NE(tensor.diags()[0].message.find("f32(8192, 8192)"), std::string::npos)
      << tensor.diags()[0].message;
  GroupedMatmulOptions options;
  options.device = "interpreter";
  options.out_dtype = DType::f32;
  const auto out = grouped_matmul(lhs, rhs, sizes, options);  // 256 MiB
  ASSERT_FALSE(out);
  expect_no_memory(out.diags());
  EXPECT_TRUE(Tensor::allocate(DType::f32, {1024, 1024}));  // later allocations succeed
}

TEST(host_memory, collectives_say_it_too) {
  if (!can_cap) GTEST_SKIP() << "no limit of data under a sanitizer";
  std::vector<Tensor> x;
  for (int d = 0; d < 2; ++d) x.emplace_back(DType::f32, Shape{4096, 4096});
  const Left left(32 * mebi);
  const auto launch = launch_all_gather(x, *make_rings({{0, 1}}));
  ASSERT_FALSE(launch);
  expect_no_memory(launch.diags());
}

TEST(host_memory, scratch_is_counted_before_the_run_and_operands_are_not_scratch) {
  const Program program = expanded(
      "kernel k()\n  in a: f32[256, 256] hbm\n  out o: f32[256, 256] hbm\n  vmem t: f32[256, 256]\n"
      "  vmem u: f32[1024, 1024]\n{\n  copy a -> t\n  u = 0\n  t = t + u[0 +: 256, 0 +: 256]\n"
      "  copy t -> o\n}\n");
  EXPECT_EQ(scratch_bytes(program, {.machine = {.devices = 3, .cores = 2}}),
            6 * (4 * mebi + mebi / 4));
  // Without arithmetic, computed scratch has no storage, but scratch that is copied to a result
  // does.
  EXPECT_EQ(scratch_bytes(program, {.machine = {.devices = 3}, .math = Math::none}), 3 * mebi / 4);
  if (!can_cap) GTEST_SKIP() << "no limit of data under a sanitizer";
  const Left left(100 * mebi);
  const Expected<void> checked = check_scratch(program, {.machine = {.devices = 64}});
  ASSERT_FALSE(checked);
  const Diags& diags = checked.diags();
  ASSERT_EQ(diags.size(), 1U);
  EXPECT_EQ(diags[0].code, ErrorCode::environment);
  EXPECT_NE(diags[0].message.find("64 simulated cores that k stores into takes 272 MiB"),
            std::string::npos)
      << diags[0].message;
}

TEST(host_memory, a_run_that_grows_until_nothing_is_left_ends_and_tells_how_far_it_came) {
  if (!can_cap) GTEST_SKIP() << "no limit of data under a sanitizer";
  const Program program = expanded(
      "kernel k()\n  out o: i64[1] smem\n  sem s: count\n{\n"
      "  for i in 4611686018427387904 {\n    signal s, 1\n    wait s, 1\n  }\n}\n");
  Operands operands(program, 1);
  const Left left(64 * mebi);
  const auto c = certify(program, operands.bindings(), {});
  ASSERT_TRUE(c) << test::messages(c.diags());
  EXPECT_EQ(c->verdict, SchedulesVerdict::explored);
  EXPECT_EQ(c->why_explored(), "budget");
  EXPECT_EQ(c->end, RunEnd::memory);
  EXPECT_GT(c->run.stats.steps, 100'000);
  EXPECT_EQ(c->run.schedule, fmt::format("steps:dev0.core0*{}", c->run.stats.steps));
}

}  // namespace
}  // namespace tessera
