#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/data/splitmix.h"
#include "kernels/inputs/group_sizes.h"
#include "kernels/inputs/moe_suite.h"
#include "kernels/inputs/multinomial.h"

namespace tessera {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes sizes(const std::string& distribution, std::int64_t groups, std::int64_t rows,
            std::uint64_t seed = 1) {
  const Expected<Sizes> result = generate_group_sizes(distribution, groups, rows, seed);
  EXPECT_TRUE(result) << (result ? "" : result.diags()[0].message);
  return result ? *result : Sizes{};
}

std::string message(const std::string& distribution, std::int64_t groups = 4,
                    std::int64_t rows = 100) {
  const Expected<Sizes> result = generate_group_sizes(distribution, groups, rows, 0);
  return result ? "" : result.diags()[0].message;
}

std::int64_t sum(const Sizes& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// Returns the FNV-1a hash of the eight bytes of each size, low byte first.
std::uint64_t hash(const Sizes& values) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const std::int64_t value : values) {
    for (int byte = 0; byte < 8; ++byte)
      h = (h ^ ((static_cast<std::uint64_t>(value) >> (8 * byte)) & 255)) * 0x100000001b3;
  }
  return h;
}

TEST(SplitMix, gives_the_published_stream) {
  SplitMix zero(0);
  EXPECT_EQ(zero.next(), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(zero.next(), 0x6E789E6AA1B965F4u);
  EXPECT_EQ(zero.next(), 0x06C45D188009454Fu);
  SplitMix s1(0xC0FFEF), units(0xC0FFEF);
  EXPECT_EQ(s1.next(), 0xD1FD171BD81A5D20u);
  EXPECT_EQ(s1.next(), 0x2EBBC4EFF8587641u);
  EXPECT_EQ(s1.next(), 0x5E003B0244D36B45u);
  EXPECT_EQ(units.unit(), 0.8202681010226142);
  EXPECT_EQ(units.unit(), 0.1825526319374562);
  EXPECT_EQ(units.unit(), 0.36719101720229974);
}

struct Published {
  const char* id;
  std::size_t groups;
  std::int64_t smallest, median, largest;
  std::uint64_t hash;
};

// Sizes of the published suite: minimum, median (element groups / 2 of the sorted sizes), maximum
// and hash.
// clang-format off
constexpr Published published[] = {
    {"S1", 8, 6323, 8858, 9933, 0x74bd522f464d8d52u},     {"S2", 8, 5641, 8319, 10178, 0xfa7ce61f84e90831u},
    {"S3", 8, 6230, 7732, 10780, 0x5da89c0c02c8640au},    {"S4", 256, 447, 509, 586, 0xe9f5b9987c3adaebu},
    {"S5", 256, 84, 167, 21402, 0xee6dcaec74ea72d2u},     {"S6", 256, 451, 512, 613, 0x5fa1d996b3f060ffu},
    {"S7", 256, 452, 513, 576, 0x6e11b796fb01e00fu},      {"S8", 8, 5740, 8744, 10020, 0x198cef6dd86592d2u},
    {"S9", 8, 5726, 9503, 9775, 0xc5e4e0d9732689f1u},     {"S10", 128, 1916, 2049, 2159, 0x0a758e37e3b33d4du},
    {"S11", 128, 377, 754, 48249, 0x1c6850a91ef649a4u},   {"S12", 128, 377, 754, 48249, 0x1541d677536aebe8u},
    {"S13", 128, 52, 121, 17720, 0x5291513728c5bd7au},    {"S14", 128, 0, 605, 888, 0x4b57bc4e4adb1059u},
    {"S15", 128, 435, 510, 559, 0x5c34072db80e669cu},     {"S16", 32, 126, 252, 4037, 0xabdf763f6f4de6a6u},
    {"S17", 384, 132, 171, 209, 0x290b24710653ff43u},     {"S18", 48, 0, 957, 1685, 0xe63dde97f835f2f4u},
    {"S19", 16, 1499, 2049, 2678, 0xa2be75b55bc10e60u},   {"S20", 160, 745, 819, 900, 0xae5238209e7580c4u},
    {"S21", 256, 1024, 1024, 1024, 0x45af4cb335340325u},  {"S22", 512, 1024, 1024, 1024, 0xe83448432245e325u},
    {"S23", 8, 0, 0, 4096, 0x767c7b8d99dbd875u},          {"S24", 256, 6, 16, 30, 0x8293e782272f8bcdu},
    {"S25", 128, 1, 3, 188, 0x8cda53ff0056b583u},
};
// clang-format on

TEST(MoeSuite, sizes_are_the_published_ones) {
  ASSERT_EQ(moe_suite().size(), std::size(published));
  for (std::size_t i = 0; i < std::size(published); ++i) {
    const MoeShape& shape = moe_suite()[i];
    const Published& want = published[i];
    Sizes got = shape.product.sizes;
    EXPECT_EQ(shape.id, want.id);
    EXPECT_EQ(sum(got), shape.product.m) << want.id;
    EXPECT_EQ(hash(got), want.hash) << want.id;
    ASSERT_EQ(got.size(), want.groups) << want.id;
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got.front(), want.smallest) << want.id;
    EXPECT_EQ(got[got.size() / 2], want.median) << want.id;
    EXPECT_EQ(got.back(), want.largest) << want.id;
  }
}

TEST(MoeSuite, counts_flops_and_bytes) {
  const MoeShape& s1 = moe_suite()[0];
  EXPECT_EQ(s1.flops(), 15393162788864);
  EXPECT_EQ(s1.min_bytes(8), 6174015488);
  const MoeShape& s14 =
      moe_suite()[13];  // 32 of its 128 groups are empty; tgmm still writes their blocks
  EXPECT_EQ(s14.min_bytes(96), 2348810240);
  const MoeShape& s23 = moe_suite()[22];
  EXPECT_EQ(s23.min_bytes(1), 100663296);
}

TEST(GroupSizes, a_list_is_itself) {
  EXPECT_EQ(sizes("100,150,50", 0, 0), (Sizes{100, 150, 50}));
  EXPECT_EQ(sizes("7", 0, 0), (Sizes{7}));
}

TEST(GroupSizes, uniform_differs_by_at_most_one) {
  EXPECT_EQ(sizes("uniform", 4, 10), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(sizes("uniform", 3, 0), (Sizes{0, 0, 0}));
}

TEST(GroupSizes, onehot_takes_the_middle_group) {
  EXPECT_EQ(sizes("onehot", 5, 9), (Sizes{0, 0, 9, 0, 0}));
}

TEST(GroupSizes, empty_leaves_its_share_without_rows) {
  const Sizes some = sizes("empty:50", 48, 32768, 12648448);
  EXPECT_EQ(std::count(some.begin(), some.end(), 0), 24);
  EXPECT_EQ(sum(some), 32768);
}

TEST(GroupSizes, every_distribution_sums_to_the_rows_and_depends_on_the_seed) {
  for (const char* name : {"multinomial", "zipf:1.2", "empty:25", "jitter:30"}) {
    EXPECT_EQ(sum(sizes(name, 16, 1000)), 1000) << name;
    EXPECT_EQ(sizes(name, 16, 1000, 5), sizes(name, 16, 1000, 5)) << name;
    EXPECT_NE(sizes(name, 16, 1000, 5), sizes(name, 16, 1000, 6)) << name;
    EXPECT_EQ(sum(sizes(name, 1, 17)), 17) << name;
    EXPECT_EQ(sum(sizes(name, 8, 0)), 0) << name;
  }
  EXPECT_EQ(sizes("jitter:0", 4, 100), sizes("uniform", 4, 100));
}

// With this number of rows, drawing them individually would take minutes.
TEST(GroupSizes, multinomial_takes_no_longer_for_more_rows) {
  constexpr std::int64_t rows = std::int64_t{1} << 40, groups = 4096;
  const Sizes drawn = sizes("multinomial", groups, rows, 3);
  EXPECT_EQ(sum(drawn), rows);
  const double mean = static_cast<double>(rows) / groups;
  double squares = 0;
  for (const std::int64_t size : drawn) squares += std::pow(static_cast<double>(size) - mean, 2);
  // The sum of squares over the mean is chi-square with 4095 degrees of freedom: 6 deviations.
  EXPECT_NEAR(squares / mean, groups - 1, 6 * std::sqrt(2.0 * groups));
}

TEST(GroupSizes, multinomial_of_few_rows_is_a_pick_of_each_row) {
  SplitMix random(9);
  Sizes picked(5);
  for (int row = 0; row < 1000; ++row) ++picked[random.next() % 5];
  EXPECT_EQ(sizes("multinomial", 5, 1000, 9), picked);
}

// Compared with the exact distribution, with the probabilities of a split of 2 and 3 groups.
TEST(GroupSizes, a_binomial_number_has_its_distribution) {
  constexpr int trials = 65, draws = 100'000;
  for (const double p : {0.5, 1.0 / 3}) {
    SplitMix random(1);
    std::vector<double> seen(trials + 1);
    for (int i = 0; i < draws; ++i) ++seen[static_cast<std::size_t>(binomial(trials, p, random))];
    double chi_square = 0, freedom = 0, probability = std::pow(1 - p, trials);
    for (int k = 0; k <= trials; ++k) {
      const double expected = draws * probability;
      if (expected > 5) {
        chi_square += std::pow(seen[static_cast<std::size_t>(k)] - expected, 2) / expected;
        ++freedom;
      }
      probability *= (trials - k) * p / ((k + 1) * (1 - p));
    }
    EXPECT_NEAR(chi_square, freedom, 5 * std::sqrt(2 * freedom)) << p;
  }
}

TEST(GroupSizes, what_cannot_be_is_an_error) {
  EXPECT_EQ(message("uniform", 2, std::int64_t{1} << 34), "group size 8589934592 does not fit i32");
  EXPECT_EQ(
      message("multinomial", std::int64_t{1} << 62),
      "expected at most 2^24 groups for group sizes 'multinomial', found 4611686018427387904");
  EXPECT_EQ(message("multinomial", 2, INT64_MAX),
            "expected at most 2^40 rows for group sizes 'multinomial', found 9223372036854775807");
  EXPECT_EQ(message("1,x"), "'x' in the group sizes '1,x' is not a number");
  EXPECT_EQ(
      message("even"),
      "group sizes 'even' are none of uniform, multinomial, zipf:S, onehot, empty:P, jitter:P or a "
      "list such as 100,150,50");
  EXPECT_EQ(message("1,,2"), "'' in the group sizes '1,,2' is not a number");
  EXPECT_EQ(message("4,-1"), "group size -1 is negative");
  EXPECT_EQ(message("zipf"), "group sizes 'zipf' require a number from 0 to 16 as in zipf:1.2");
  EXPECT_EQ(message("empty:101"),
            "group sizes 'empty:101' require a number from 0 to 100 as in empty:50");
  EXPECT_EQ(message("empty:100"), "group sizes 'empty:100' leave none of 4 groups for 100 rows");
  EXPECT_EQ(message("uniform", 0), "group sizes 'uniform' need at least one group, got 0");
  EXPECT_EQ(message("uniform", 2, -1), "group sizes 'uniform' cannot sum to -1 rows");
  EXPECT_NE(message("uniform:3"), "");
}

}  // namespace
}  // namespace tessera
