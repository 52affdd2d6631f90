// The chain that chooses a configuration: the order of its sources, and the caches that store the
// choice.
#include "kernels/tuning/selection.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/tuning/config.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;
using Chain = GroupedConfigChain;
using Fallback = AutotunePolicy::Fallback;

Config rows(std::int64_t block_m) {
  Config config;
  config.kernel.tiling.m = block_m;
  return config;
}

OperationKey key_of(const std::string& call) { return {"d", "grouped_matmul@v1", call}; }

// Returns a call for which tuning finds block_m 32 and the heuristics choose 16.
Selection asking(const std::string& call, std::atomic<int>* tunings = nullptr) {
  Selection selection;
  selection.key = key_of(call);
  selection.heuristics = [] { return ConfigChoice{rows(16).kernel, {}, "small"}; };
  selection.autotune = [tunings](const AutotunePolicy&) -> Expected<TuningResult<Config>> {
    if (tunings) ++*tunings;
    const Config candidates[] = {rows(64), rows(32)};
    return Tuner::tune<Config>(candidates, [](const Config& config) -> Expected<double> {
      return static_cast<double>(config.kernel.tiling.m);
    });
  };
  selection.measure = "by its rows";
  return selection;
}

AutotunePolicy tuning_policy() {
  AutotunePolicy policy;
  policy.cache_miss_fallback = Fallback::Autotune;
  return policy;
}

Selection by(const AutotunePolicy& policy, Selection selection) {
  selection.policy = policy;
  return selection;
}

Selection under(const ConfigOverlay& overlay, Selection selection) {
  selection.overlay = overlay;
  return selection;
}

void expect(const Expected<ConfigDecision>& decision, ConfigSource source, std::int64_t block_m) {
  ASSERT_TRUE(decision) << render(decision.diags());
  EXPECT_EQ(name(decision->source), name(source));
  EXPECT_EQ(decision->config.kernel.tiling.m, block_m);
  EXPECT_EQ(decision->steps.back().outcome, "hit");
  EXPECT_EQ(decision->steps.size(), static_cast<std::size_t>(source) + 1);
}

TEST(Selection, each_link_answers_when_those_before_it_do_not) {
  const TemporaryFolder folder;
  Chain chain((PersistentCache(folder.file("c"))));
  expect(chain.choose(by(tuning_policy(), asking("a"))), ConfigSource::Autotune, 32);
  expect(chain.choose(asking("a")), ConfigSource::Memory, 32);
  Chain later((PersistentCache(folder.file("c"))));
  expect(later.choose(asking("a")), ConfigSource::Persistent, 32);
  expect(later.choose(asking("a")), ConfigSource::Memory, 32);
  expect(later.choose(asking("b")), ConfigSource::Heuristics, 16);
  const ConfigOverlay overlay = {{key_of("a"), rows(8)}};
  expect(later.choose(under(overlay, asking("a"))), ConfigSource::Overlay, 8);
  expect(later.choose(under(overlay, asking("b"))), ConfigSource::Memory, 16);
  expect(later.choose(asking("a")), ConfigSource::Memory, 32);
  Selection given = under(overlay, asking("a"));
  given.override_config = rows(4);
  expect(later.choose(given), ConfigSource::Override, 4);
}

TEST(Selection, an_override_is_kept_nowhere_and_wins_in_every_policy) {
  const TemporaryFolder folder;
  Chain chain((PersistentCache(folder.file("c"))));
  Selection given = asking("a");
  given.override_config = rows(4);
  AutotunePolicy nothing;
  nothing.allow_autotune = nothing.allow_heuristics = false;
  expect(chain.choose(by(nothing, given)), ConfigSource::Override, 4);
  EXPECT_TRUE(chain.persistent()->list().empty());
  expect(chain.choose(asking("a")), ConfigSource::Heuristics, 16);
}

// A clock that advances by a second on every read.
Clock counting_clock() {
  return [now = std::make_shared<double>(0)] { return ++*now; };
}

TEST(Selection, says_why_each_link_did_not_answer_and_how_long_it_took) {
  Chain chain(std::nullopt, counting_clock());
  const auto decision = chain.choose(asking("a"));
  ASSERT_TRUE(decision);
  std::vector<std::string> outcomes;
  for (const SelectionStep& step : decision->steps) {
    outcomes.push_back(std::string(name(step.source)) + ": " + step.outcome);
    EXPECT_EQ(step.seconds, 1);
  }
  EXPECT_EQ(outcomes, (std::vector<std::string>{
                          "override: none given", "overlay: none for this key",
                          "memory: not seen yet", "persistent: there is none",
                          "autotune: the policy selects the heuristics", "heuristics: hit"}));
  EXPECT_EQ(decision->reason, "small");
  EXPECT_EQ(decision->key, key_of("a"));
}

TEST(Selection, errors_have_the_sources_texts) {
  Chain chain(std::nullopt);
  AutotunePolicy policy;
  policy.allow_autotune = policy.allow_heuristics = false;
  const auto decision = chain.choose(by(policy, asking("a")));
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.diags()[0].code, ErrorCode::runtime);
  EXPECT_EQ(decision.diags()[0].message,
            "No config found: override/overlay/cache/persistent/autotune/heuristics all "
            "unavailable.");
  const Selection tuned = by(tuning_policy(), asking("a"));
  expect(chain.choose(tuned), ConfigSource::Autotune, 32);
  chain.clear_memory();
  const auto again = chain.choose(tuned);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.diags()[0].code, ErrorCode::runtime);
  EXPECT_EQ(again.diags()[0].message, "Re-autotune requested for " + key_of("a").text());
  AutotunePolicy lenient = tuning_policy();
  lenient.forbid_reautotune = false;
  expect(chain.choose(by(lenient, asking("a"))), ConfigSource::Autotune, 32);
}

TEST(Selection, tuning_does_not_stop_at_heuristics_that_were_kept) {
  const TemporaryFolder folder;
  Chain first((PersistentCache(folder.file("c"))));
  expect(first.choose(asking("a")), ConfigSource::Heuristics, 16);
  const Selection tuned = by(tuning_policy(), asking("a"));
  Chain second((PersistentCache(folder.file("c"))));
  expect(second.choose(tuned), ConfigSource::Autotune, 32);
  Chain third((PersistentCache(folder.file("c"))));
  expect(third.choose(tuned), ConfigSource::Persistent, 32);
}

TEST(Selection, a_damaged_entry_is_passed_over_with_its_reason) {
  const TemporaryFolder folder;
  Chain chain((PersistentCache(folder.file("c"))));
  CacheEntry entry{key_of("a"), R"({"block_x": 1})", "autotune", 1, "m"};
  ASSERT_TRUE(chain.persistent()->store(entry));
  const auto decision = chain.choose(asking("a"));
  expect(decision, ConfigSource::Heuristics, 16);
  EXPECT_NE(decision->steps[3].outcome.find("a config has no field block_x"), std::string::npos);
}

TEST(Selection, the_last_entry_of_an_overlay_wins) {
  Chain chain(std::nullopt);
  const ConfigOverlay overlay = {
      {key_of("a"), rows(1)}, {key_of("b"), rows(2)}, {key_of("a"), rows(3)}};
  const auto of = [&](const char* call) {
    return chain.choose(by(tuning_policy(), under(overlay, asking(call))));
  };
  expect(of("a"), ConfigSource::Overlay, 3);
  expect(of("b"), ConfigSource::Overlay, 2);
  expect(of("c"), ConfigSource::Autotune, 32);
}

TEST(Selection, threads_that_ask_at_once_tune_once) {
  Chain chain(std::nullopt);
  std::atomic<int> tunings = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto decision =
            chain.choose(by(tuning_policy(), asking("key " + std::to_string(i % 5), &tunings)));
        EXPECT_TRUE(decision && decision->config.kernel.tiling.m == 32);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tunings, 5);
}

TEST(Selection, the_environment_sets_the_policy) {
  ::setenv("TESSERA_AUTOTUNE_POLICY", "autotune", 1);
  EXPECT_EQ(environment_policy()->cache_miss_fallback, Fallback::Autotune);
  Chain chain(std::nullopt);
  expect(chain.choose(asking("a")), ConfigSource::Autotune, 32);
  ::setenv("TESSERA_AUTOTUNE_POLICY", "sometimes", 1);
  const auto wrong = environment_policy();
  EXPECT_FALSE(chain.choose(asking("b")));
  ::unsetenv("TESSERA_AUTOTUNE_POLICY");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.diags()[0].message,
            "TESSERA_AUTOTUNE_POLICY is autotune or heuristics, not 'sometimes'");
}

TEST(Tuner, times_the_iterations_after_the_warm_up_by_the_clock_given) {
  Tuner tuner;
  tuner.warmup = 2;
  tuner.iters = 4;
  double now = 0;
  int runs = 0;
  tuner.clock = [&] { return now; };
  const auto mean = tuner.mean_seconds([&]() -> Diags {
    now += ++runs <= 2 ? 100 : 3;
    return {};
  });
  ASSERT_TRUE(mean);
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(*mean, 3);
  EXPECT_EQ(Tuner().warmup, 5);
  EXPECT_EQ(Tuner().iters, 100);
}

TEST(Tuner, skips_what_fails_and_what_cannot_win) {
  const Config candidates[] = {rows(1), rows(2), rows(3), rows(4)};
  int measured = 0;
  const auto result = Tuner::tune<Config>(
      candidates,
      [&](const Config& config) -> Expected<double> {
        ++measured;
        if (config.kernel.tiling.m == 1) return error("too large");
        return config.kernel.tiling.m == 2 ? 2.0 : 1.0;
      },
      [](const Config& config) { return config.kernel.tiling.m == 3 ? 2.5 : 0.0; });
  ASSERT_TRUE(result);
  EXPECT_EQ(measured, 3);
  EXPECT_EQ(result->winner().config.kernel.tiling.m, 4);
  EXPECT_EQ(result->candidates[0].skipped, "too large");
  EXPECT_EQ(result->candidates[2].skipped, "takes 2.5 s at least");
}

TEST(Tuner, when_all_fail_the_last_error_is_told) {
  const Config candidates[] = {rows(1), rows(2)};
  const auto result = Tuner::tune<Config>(candidates, [](const Config& c) -> Expected<double> {
    return error(c.kernel.tiling.m == 1 ? "first" : "second");
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diags()[0].code, ErrorCode::runtime);
  EXPECT_EQ(result.diags()[0].message, "All candidates failed during autotune: second");
}

}  // namespace
}  // namespace tessera
