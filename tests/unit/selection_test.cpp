// The chain that chooses a configuration: who answers when, and what is kept where.
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
using Chain = ConfigSelectorChain<Config>;
using Fallback = AutotunePolicy::Fallback;

Config rows(std::int64_t block_m) {
  Config config;
  config.kernel.tiling.m = block_m;
  return config;
}

OperationKey key_of(const std::string& call) { return {"d", "grouped_matmul@v1", call}; }

// A call whose tuning finds block_m 32 and whose heuristics say 16.
Selection<Config> asking(const std::string& call, std::atomic<int>* tunings = nullptr) {
  Selection<Config> selection;
  selection.key = key_of(call);
  selection.heuristics = [] { return rows(16); };
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

void expect(const Expected<Decision<Config>>& decision, ConfigSource source, std::int64_t block_m) {
  ASSERT_TRUE(decision) << render(decision.diags());
  EXPECT_EQ(name(decision->source), name(source));
  EXPECT_EQ(decision->config.kernel.tiling.m, block_m);
  EXPECT_EQ(decision->steps.back().outcome, "hit");
  EXPECT_EQ(decision->steps.size(), static_cast<std::size_t>(source) + 1);
}

TEST(Selection, each_link_answers_when_those_before_it_do_not) {
  const TemporaryFolder folder;
  Chain chain((PersistentCache(folder.file("c"))));
  {
    const PolicyOverride tunes(tuning_policy());
    expect(chain.choose(asking("a")), ConfigSource::Autotune, 32);
  }
  expect(chain.choose(asking("a")), ConfigSource::Memory, 32);
  Chain later((PersistentCache(folder.file("c"))));
  expect(later.choose(asking("a")), ConfigSource::Persistent, 32);
  expect(later.choose(asking("a")), ConfigSource::Memory, 32);
  expect(later.choose(asking("b")), ConfigSource::Heuristics, 16);
  const OverlayScope<Config> overlay({{key_of("a"), rows(8)}});
  expect(later.choose(asking("a")), ConfigSource::Overlay, 8);
  expect(later.choose(asking("b")), ConfigSource::Memory, 16);
  Selection<Config> given = asking("a");
  given.override_config = rows(4);
  expect(later.choose(given), ConfigSource::Override, 4);
}

TEST(Selection, an_override_is_kept_nowhere_and_wins_in_every_policy) {
  const TemporaryFolder folder;
  Chain chain((PersistentCache(folder.file("c"))));
  Selection<Config> given = asking("a");
  given.override_config = rows(4);
  AutotunePolicy nothing;
  nothing.allow_autotune = nothing.allow_heuristics = false;
  {
    const PolicyOverride strict(nothing);
    expect(chain.choose(given), ConfigSource::Override, 4);
  }
  EXPECT_TRUE(chain.persistent()->list().empty());
  expect(chain.choose(asking("a")), ConfigSource::Heuristics, 16);
}

TEST(Selection, says_why_each_link_did_not_answer) {
  Chain chain(std::nullopt);
  const auto decision = chain.choose(asking("a"));
  ASSERT_TRUE(decision);
  EXPECT_EQ(explain(*decision), "key         " + key_of("a").text() +
                                    "\n            a\n"
                                    "override    none given\n"
                                    "overlay     none for this key\n"
                                    "memory      not seen yet\n"
                                    "persistent  there is none\n"
                                    "autotune    the policy asks the heuristics\n"
                                    "heuristics  hit\n"
                                    "config      16x128x128\n");
}

TEST(Selection, errors_have_the_sources_texts) {
  Chain chain(std::nullopt);
  AutotunePolicy policy;
  policy.allow_autotune = policy.allow_heuristics = false;
  {
    const PolicyOverride none(policy);
    const auto decision = chain.choose(asking("a"));
    ASSERT_FALSE(decision);
    EXPECT_EQ(decision.diags()[0].code, ErrorCode::runtime);
    EXPECT_EQ(decision.diags()[0].message,
              "No config found: override/overlay/cache/persistent/autotune/heuristics all "
              "unavailable.");
  }
  const PolicyOverride tunes(tuning_policy());
  expect(chain.choose(asking("a")), ConfigSource::Autotune, 32);
  chain.memory().clear();
  const auto again = chain.choose(asking("a"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.diags()[0].code, ErrorCode::runtime);
  EXPECT_EQ(again.diags()[0].message, "Re-autotune requested for " + key_of("a").text());
  AutotunePolicy lenient = tuning_policy();
  lenient.forbid_reautotune = false;
  const PolicyOverride inner(lenient);
  expect(chain.choose(asking("a")), ConfigSource::Autotune, 32);
}

TEST(Selection, tuning_does_not_stop_at_heuristics_that_were_kept) {
  const TemporaryFolder folder;
  Chain first((PersistentCache(folder.file("c"))));
  expect(first.choose(asking("a")), ConfigSource::Heuristics, 16);
  const PolicyOverride tunes(tuning_policy());
  Chain second((PersistentCache(folder.file("c"))));
  expect(second.choose(asking("a")), ConfigSource::Autotune, 32);
  Chain third((PersistentCache(folder.file("c"))));
  expect(third.choose(asking("a")), ConfigSource::Persistent, 32);
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

TEST(Selection, scopes_nest_end_and_belong_to_their_thread) {
  Chain chain(std::nullopt);
  const OverlayScope<Config> outer({{key_of("a"), rows(1)}, {key_of("b"), rows(2)}});
  {
    const OverlayScope<Config> inner({{key_of("a"), rows(3)}});
    const PolicyOverride tunes(tuning_policy());
    expect(chain.choose(asking("a")), ConfigSource::Overlay, 3);
    expect(chain.choose(asking("b")), ConfigSource::Overlay, 2);
    EXPECT_EQ(current_policy()->cache_miss_fallback, Fallback::Autotune);
    std::thread([&] {
      EXPECT_EQ(OverlayScope<Config>::find(key_of("a")), nullptr);
      EXPECT_EQ(*current_policy(), AutotunePolicy());
    }).join();
  }
  expect(chain.choose(asking("a")), ConfigSource::Overlay, 1);
  EXPECT_EQ(*current_policy(), AutotunePolicy());
}

TEST(Selection, threads_that_ask_at_once_tune_once) {
  Chain chain(std::nullopt);
  std::atomic<int> tunings = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      const PolicyOverride tunes(tuning_policy());
      for (int i = 0; i < 50; ++i) {
        const auto decision = chain.choose(asking("key " + std::to_string(i % 5), &tunings));
        EXPECT_TRUE(decision && decision->config.kernel.tiling.m == 32);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tunings, 5);
}

// A clock that goes on by a second whenever it is read.
Clock counting_clock() {
  return [now = std::make_shared<double>(0)] { return ++*now; };
}

TEST(SelectionEvents, tell_who_was_asked_what_was_chosen_why_and_how_long) {
  Chain chain(std::nullopt, counting_clock());
  SelectionRecorder recorder;
  expect(chain.choose(asking("a")), ConfigSource::Heuristics, 16);
  expect(chain.choose(asking("a")), ConfigSource::Memory, 16);
  const std::string config = to_json(rows(16));
  EXPECT_EQ(recorder.text(),
            key_of("a").text() +
                "\n"
                "  override    miss             none given, 1 s\n"
                "  overlay     miss             none for this key, 1 s\n"
                "  memory      miss             not seen yet, 1 s\n"
                "  persistent  miss             there is none, 1 s\n"
                "  autotune    miss             the policy asks the heuristics, 1 s\n"
                "  heuristics  heuristics       " +
                config +
                ", 1 s\n"
                "  override    miss             none given, 1 s\n"
                "  overlay     miss             none for this key, 1 s\n"
                "  memory      cache_hit        " +
                config + ", 1 s\n");
  EXPECT_EQ(to_json(recorder.events().back()),
            R"({"event":"cache_hit","source":"memory","outcome":"hit","seconds":1.0,)"
            R"("key":{"device":"d","operation":"grouped_matmul@v1","call":"a"},"config":)" +
                config + "}");
  EXPECT_EQ(recorder.json().front(), '[');
  EXPECT_EQ(recorder.json().back(), ']');
}

TEST(SelectionEvents, of_autotuning_are_its_start_and_its_end) {
  Chain chain(std::nullopt, counting_clock());
  std::vector<std::string> heard;
  const SelectionListening listening(
      [&](const SelectionEvent& event) { heard.emplace_back(name(event)); });
  const PolicyOverride tunes(tuning_policy());
  expect(chain.choose(asking("a")), ConfigSource::Autotune, 32);
  EXPECT_EQ(heard, (std::vector<std::string>{"miss", "miss", "miss", "miss", "autotune_start",
                                             "autotune_finish"}));
  chain.memory().clear();
  heard.clear();
  EXPECT_FALSE(chain.choose(asking("a")));
  EXPECT_EQ(heard.back(), "error");
  const OverlayScope<Config> overlay({{key_of("a"), rows(8)}});
  expect(chain.choose(asking("a")), ConfigSource::Overlay, 8);
  EXPECT_EQ(heard.back(), "overlay_hit");
  Selection<Config> given = asking("a");
  given.override_config = rows(4);
  expect(chain.choose(given), ConfigSource::Override, 4);
  EXPECT_EQ(heard.back(), "override");
}

TEST(SelectionEvents, are_heard_by_the_scopes_of_their_thread_innermost_first) {
  Chain chain(std::nullopt);
  std::string heard;
  {
    const SelectionListening outer([&](const SelectionEvent&) { heard += 'o'; });
    {
      const SelectionListening inner([&](const SelectionEvent&) { heard += 'i'; });
      Selection<Config> given = asking("a");
      given.override_config = rows(4);
      expect(chain.choose(given), ConfigSource::Override, 4);
      EXPECT_EQ(heard, "io");
      std::thread([&] { expect(chain.choose(given), ConfigSource::Override, 4); }).join();
      EXPECT_EQ(heard, "io");
    }
    EXPECT_TRUE(SelectionListening::anyone());
  }
  EXPECT_FALSE(SelectionListening::anyone());
  expect(chain.choose(asking("a")), ConfigSource::Heuristics, 16);
  EXPECT_EQ(heard, "io");
}

TEST(SelectionEvents, a_choice_without_an_answer_ends_in_an_error) {
  Chain chain(std::nullopt);
  AutotunePolicy policy;
  policy.allow_autotune = policy.allow_heuristics = false;
  const PolicyOverride none(policy);
  const SelectionRecorder recorder;
  const auto decision = chain.choose(asking("a"));
  ASSERT_FALSE(decision);
  EXPECT_EQ(name(recorder.events().back()), "error");
  EXPECT_EQ(recorder.events().back().step.outcome, decision.diags().front().message);
}

TEST(Selection, the_environment_sets_the_policy) {
  ::setenv("TESSERA_AUTOTUNE_POLICY", "autotune", 1);
  EXPECT_EQ(current_policy()->cache_miss_fallback, Fallback::Autotune);
  ::setenv("TESSERA_AUTOTUNE_POLICY", "sometimes", 1);
  const auto wrong = current_policy();
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
