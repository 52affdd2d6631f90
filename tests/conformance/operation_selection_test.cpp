// The rows M4, M5 and M14 of ejKernel's module layer: which configuration a call gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/conformance/operation_case.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using grouped::Sizes;
using operation::blocks;
using operation::Config;
using operation::Example;
using operation::expect_equal;

TEST(Operation, M4_the_heuristic_is_128_cubed_or_what_the_machine_brings) {
  Example example(300, 64, 32, {100, 150, 50});
  const auto decision = example.choose();
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->source, ConfigSource::Heuristics);
  EXPECT_EQ(decision->config, Config());
  EXPECT_EQ(decision->config.num_warps, 4);
  EXPECT_EQ(decision->config.kernel.buffers, 2);
  example.call.profile = "h200";
  EXPECT_EQ(example.choose()->config.kernel.tiling, (Tiling{64, 64, 64}));
}

std::vector<Config> candidates(const Example& example) {
  std::vector<Config> configs;
  for (const ConfigChoice& choice :
       grouped_candidates(*tuning_problem(example.operands(), example.call)))
    configs.push_back({.kernel = choice.config});
  return configs;
}

TEST(Operation, M5_candidates_are_clamped_and_no_two_are_equal) {
  Example large(2048, 2048, 2048, {1024, 1024});
  const std::vector<Config> nine = {
      blocks(128, 128, 128),   blocks(256, 128, 256),   blocks(512, 128, 512),
      blocks(512, 256, 512),   blocks(512, 512, 512),   blocks(1024, 128, 1024),
      blocks(1024, 256, 1024), blocks(1024, 512, 1024), blocks(1024, 1024, 1024)};
  EXPECT_EQ(candidates(large), nine);
  for (const std::int64_t m : {1, 7, 60, 300, 1000}) {
    for (const std::int64_t k : {1, 64, 200, 4096}) {
      Example small(m, k, 96, {m});
      const std::vector<Config> some = candidates(small);
      EXPECT_FALSE(some.empty());
      for (const Config& config : some) {
        EXPECT_LE(config.kernel.tiling.k, k);
        EXPECT_LE(config.kernel.tiling.n, 96);
        EXPECT_LT(config.kernel.tiling.m, 2 * std::max<std::int64_t>(m, 8));
        EXPECT_EQ(std::count(some.begin(), some.end(), config), 1);
      }
      EXPECT_EQ(candidates(small), some);  // pure
    }
  }
}

TEST(Operation, M14_the_key_has_shapes_types_and_buckets_but_no_values) {
  const auto key = [](const Sizes& groups, std::int64_t n = 16) {
    const std::int64_t m = 100;
    Example example(m, 16, n, groups);
    return example.key().full_text();
  };
  EXPECT_EQ(key({50, 50}), key({49, 51}));  // one bucket
  EXPECT_NE(key({50, 50}), key({90, 10}));  // another largest size
  EXPECT_NE(key({50, 50}), key({50, 50, 0}));
  EXPECT_NE(key({60, 20, 10, 10}), key({60, 40, 0, 0}));  // half of the groups are empty
  EXPECT_NE(key({50, 50}), key({50, 50}, 32));
  Example example(100, 16, 16, {50, 50});
  example.call.profile = "v6e";
  EXPECT_NE(example.key().device, "interpreter v5e|1");
}

TEST(Operation, M14_the_executor_tunes_on_simulated_time_and_remembers) {
  const TemporaryFolder folder;
  Example example(256, 256, 256, {128, 128});
  GroupedConfigChain chain((PersistentCache(folder.file("c"))));
  AutotunePolicy policy;
  policy.cache_miss_fallback = AutotunePolicy::Fallback::Autotune;
  policy.validate_backward = true;
  example.call.policy = policy;
  example.call.chain = &chain;
  const auto decision = example.choose();
  ASSERT_TRUE(decision) << render(decision.diags());
  EXPECT_EQ(decision->source, ConfigSource::Autotune);
  ASSERT_TRUE(decision->tuning);
  EXPECT_GE(decision->tuning->candidates.size(), 2u);
  EXPECT_EQ(example.choose()->source, ConfigSource::Memory);
  const auto kept = chain.persistent()->list();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].entry->measure, "simulated on v5e");
  EXPECT_GT(kept[0].entry->seconds, 0);
  GroupedConfigChain later((PersistentCache(folder.file("c"))));
  example.call.chain = &later;
  EXPECT_EQ(example.choose()->source, ConfigSource::Persistent);
  expect_equal(example.run(), example.expected());
}

TEST(Operation, M14_representative_sizes_sum_to_m) {
  for (const std::int64_t m : {0, 1, 7, 300, 4096}) {
    for (const std::int64_t groups : {1, 2, 3, 64, 5000}) {
      for (const std::int64_t largest : {std::int64_t{0}, std::int64_t{1}, m / 2, m, 2 * m}) {
        for (const std::int64_t filled : {std::int64_t{1}, (groups + 1) / 2, groups}) {
          const auto sizes = representative_sizes(m, groups, largest, filled);
          EXPECT_EQ(static_cast<std::int64_t>(sizes.size()), groups);
          EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), m);
          EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 0);
          EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), sizes[0]);
          EXPECT_GE(std::count(sizes.begin(), sizes.end(), 0), groups - filled);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera
