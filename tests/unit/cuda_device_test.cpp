// Kernels on a GPU: every configuration on ragged groups with poisoned results, a thousand random
// problems, bitwise equal repetitions, and invalid sizes. Long tests are split into parts, which
// can run concurrently in separate processes and continue after a failure. Without a GPU, each test
// is skipped with the reason.
#include "devices/cuda/cuda_device.h"

#include <gtest/gtest.h>

#include "core/data/splitmix.h"
#include "tests/unit/cuda_case.h"

namespace tessera::cuda {
namespace {

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override {
    const Support here = cuda_device().available();
    if (!here.ok) GTEST_SKIP() << here.reason;
  }
};

// Runs the case, which receives the result. Returns the error of the device, or empty.
std::string run(GroupedCase& a_case) {
  if (!a_case.problem().empty()) return a_case.problem();
  DeviceBinding binding;
  for (const Buffer& buffer : a_case.program().buffers) {
    if (buffer.role != Role::scratch) binding[buffer.name] = &a_case.tensor(buffer.name);
  }
  const auto executable =
      cuda_device().prepare(a_case.program(), {.hints = a_case.hints(), .may_ignore_hints = true});
  if (!executable) return render(executable.diags());
  const Expected<DeviceReport> report = (*executable)->run({binding}, {});
  if (!report) return render(report.diags());
  a_case.sum_error = report->sum_error;
  return report->findings.empty() ? "" : as_error(report->findings.front()).message;
}

std::string outcome_of(GroupedCase& a_case) {
  const std::string problem = run(a_case);
  return problem.empty() ? a_case.verdict() : problem;
}

std::vector<TestConfiguration> all_configurations() {
  std::vector<TestConfiguration> all = candidate_configurations();
  for (TestConfiguration& configuration : test_configurations())
    all.push_back(std::move(configuration));
  return all;
}

// Returns sizes with rows that are multiples of 16 bytes, as the copy engine requires.
Sizes for_operands(Sizes sizes, const TestConfiguration& configuration) {
  if (is_fp8(configuration)) sizes.k = (sizes.k + 15) / 16 * 16;
  return sizes;
}

const std::vector<Sizes> ragged = {
    {{5, 0, 130, 64, 1, 0, 63}, 300, 200, 328},
    {{128, 256}, 384, 256, 256},
    {{0, 0, 0}, 40, 64, 256},
    {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, 160, 72, 136},
    {{0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257}, 1420, 136, 264},
    {{300}, 300, 1416, 8},
    {{0, 0, 700, 0}, 701, 8, 520},
    {{0}, 8, 64, 64},
};

constexpr std::size_t part_count = 16;

class CudaDeviceParts : public CudaDevice, public testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(part, CudaDeviceParts, testing::Range(std::size_t{0}, part_count));

TEST_P(CudaDeviceParts, every_configuration_on_ragged_groups) {
  const std::vector<TestConfiguration> all = all_configurations();
  for (std::size_t i = GetParam(); i < all.size(); i += part_count) {
    std::uint64_t seed = 100 * i;
    for (const Sizes& sizes : ragged) {
      for (const Fill fill : {Fill::integers, Fill::normal}) {
        GroupedCase a_case(all[i], for_operands(sizes, all[i]), ++seed, fill, fill == Fill::normal);
        EXPECT_EQ(outcome_of(a_case), "") << a_case.name();
      }
    }
  }
}

TEST_P(CudaDeviceParts, a_thousand_random_problems) {
  const std::vector<TestConfiguration> all = all_configurations();
  for (std::size_t i = GetParam(); i < 1000; i += part_count) {
    SplitMix random(20 + i);
    const Sizes sizes = random_sizes(random, {60, 80, i % 50 == 0 ? 1024U : 20U, 130});
    const TestConfiguration& configuration = all[random.next() % all.size()];
    GroupedCase a_case(configuration, for_operands(sizes, configuration), random.next(),
                       random.next() % 2 == 0 ? Fill::integers : Fill::normal,
                       random.next() % 2 == 0);
    EXPECT_EQ(outcome_of(a_case), "") << "problem " << i << ": " << a_case.name();
  }
}

TEST_F(CudaDevice, the_same_bits_two_hundred_times) {
  for (const TestConfiguration& configuration :
       {gmm_configuration(128, 256, 4, "bf16", "f32", 0).with(row_pairs),
        gmm_configuration(64, 256, 4, "bf16", "bf16", 1).with(in_turn),
        gmm_configuration(16, 128, 6, "bf16", "bf16", 0),
        gmm_configuration(128, 128, 4, "bf16", "bf16", 1)
            .with({.pairing = Pairing::columns, .dynamic = true}),
        fp8_configuration(128, 128, 6, "e4m3", "bf16").with({.dynamic = true}),
        tgmm_configuration(128, 256, 4, "bf16", "f32")}) {
    GroupedCase a_case(configuration, {{5, 0, 1300, 640, 1, 0, 630}, 2600, 400, 520}, 3,
                       Fill::normal);
    ASSERT_EQ(outcome_of(a_case), "") << a_case.name();
    const auto bytes = [&] {
      const Tensor& out = a_case.tensor("out");
      return std::string(reinterpret_cast<const char*>(out.data()),
                         static_cast<std::size_t>(out.bytes()));
    };
    const std::string first = bytes();
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(run(a_case), "");
      ASSERT_TRUE(bytes() == first) << a_case.name() << " run " << i;
    }
  }
}

TEST_F(CudaDevice, the_general_kernel_on_other_types_and_sizes) {
  for (const TestConfiguration& configuration :
       {gmm_configuration(64, 64, 2, "f32", "f32", 0), gmm_configuration(64, 64, 2, "i8", "i32", 1),
        gmm_configuration(64, 64, 2, "bf16", "bf16", 0, 1),
        gmm_configuration(64, 64, 2, "e4m3", "bf16", 0),
        tgmm_configuration(64, 64, 2, "f32", "f32")}) {
    GroupedCase a_case(configuration, {{5, 0, 130, 64, 1, 0, 63}, 300, 71, 131}, 7, Fill::integers);
    EXPECT_EQ(outcome_of(a_case), "") << a_case.name();
  }
}

TEST_F(CudaDevice, sizes_that_mean_nothing_are_findings) {
  const auto finding = [](const TestConfiguration& c, std::vector<std::int64_t> groups) {
    GroupedCase a_case(c, {std::move(groups), 40, 64, 128}, 5, Fill::integers);
    return run(a_case);
  };
  const TestConfiguration gmm = gmm_configuration(64, 128, 3, "bf16", "bf16", 1);
  EXPECT_EQ(finding(gmm, {5, -3, 20}),
            "out_of_bounds: group_sizes[1] is negative; nothing was multiplied");
  EXPECT_EQ(finding(gmm, {20, 30}),
            "out_of_bounds: gmm stores rows up to 50 of a result that has 40; do the group sizes "
            "sum to more?");
  EXPECT_EQ(finding(tgmm_configuration(128, 128, 3, "bf16", "bf16"), {20, 30}),
            "out_of_bounds: tgmm reads up to 50 along a contraction of 40; do the group sizes sum "
            "to more?");
  EXPECT_EQ(finding(gmm, {20, 20}), "");
}

}  // namespace
}  // namespace tessera::cuda
