// The text form of schedules, and the random numbers of random schedules.
#include "interp/schedule/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "interp/schedule/random.h"
#include "interp/schedule/strategies.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

std::string round_trip(std::string_view text) {
  const auto schedule = parse_schedule(text);
  return schedule ? to_string(*schedule) : "error: " + schedule.diags()[0].message;
}

TEST(schedule, text_round_trips) {
  for (const char* text :
       {"eager", "lazy", "lifo", "random:0", "random:18446744073709551615", "pct:3:2",
        "steps:dev0.core0*12,dev1.core0/dma#3", "steps:order:5,dev0.core0", "steps:",
        "steps:dev0.core0/dma#3@5:r7,dev0.core0/dma#3:w2,dev0.core0/dma#3:r,dev0.core0/dma#3:w"}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(schedule, a_bad_text_is_named) {
  const std::string forms =
      "` is none of eager, lazy, lifo, random:SEED, pct:SEED:DEPTH or "
      "steps:dev0.core0*12,dev0.core0/dma#3,...";
  EXPECT_EQ(round_trip("fast"), "error: schedule `fast" + forms);
  EXPECT_EQ(round_trip("random"), "error: schedule `random" + forms);
  EXPECT_EQ(round_trip("random:-1"), "error: schedule `random:-1" + forms);
  EXPECT_EQ(round_trip("pct:1"), "error: schedule `pct:1" + forms);
  EXPECT_EQ(round_trip("pct:1:0"),
            "error: schedule `pct:1:0`: the depth after the seed is 1 to 100");
  EXPECT_EQ(round_trip("eager:1"), "error: schedule `eager:1" + forms);
  EXPECT_EQ(round_trip("steps:dev0.core0*0"),
            "error: entry 1 of the schedule is `dev0.core0*0`, expected an agent and its number of "
            "steps, as in dev0.core0*12");
  for (const char* item : {"dev0.core0:r2", "dev0.core0/dma#0:x2", "dev0.core0/dma#0:r0",
                           "dev0.core0/dma#0@-1:r", "dev0.core0/dma#0:", "dev0.core0/dma#0@3"})
    EXPECT_EQ(round_trip(std::string("steps:") + item),
              "error: entry 1 of the schedule is `" + std::string(item) +
                  "`, expected an agent and its number of steps, as in dev0.core0*12");
  EXPECT_EQ(
      round_trip("steps:dev0.core0,dev0"),
      "error: entry 2 of the schedule is `dev0`, expected an agent and its number of steps, as in "
      "dev0.core0*12");
}

// Returns the names of the strategies, for example "`lazy`, `lifo`".
std::string named(const std::vector<const Strategy*>& some, const std::string& between,
                  const std::string& last) {
  std::string text;
  for (const Strategy* strategy : some) {
    if (!text.empty()) text += strategy == some.back() ? last : between;
    text += "`" + std::string(strategy->name) + "`";
  }
  return text;
}

TEST(schedule, the_pages_name_the_strategies_of_the_table) {
  std::vector<const Strategy*> plain, seeded;
  for (const Strategy& strategy : strategies()) {
    if (strategy.has_seed()) seeded.push_back(&strategy);
    if (strategy.arguments == ScheduleArguments::none) plain.push_back(&strategy);
  }
  const auto expect_in = [](const std::string& page, const std::string& text) {
    EXPECT_NE(test::read_file(page).find(text), std::string::npos) << page << " lacks: " << text;
  };
  expect_in("docs/explain/machine.md",
            named(seeded, ", ", " and ") + " draw the number of granules");
  expect_in("docs/explain/machine.md",
            named(plain, ", ", " and ") + " read all granules except the last");
  EXPECT_EQ(plain.front()->name, "eager");  // the default
  plain.erase(plain.begin());
  expect_in("docs/explain/certificate.md", "the one that was given, " + named(plain, ", ", ", ") +
                                               ", then by turns " + named(seeded, ", ", " and "));
}

TEST(schedule, an_exploration_takes_strategies_without_a_seed_first) {
  std::vector<std::string> schedules;
  for (int number = 1; number <= 6; ++number) schedules.push_back(explored_schedule(number, 3));
  EXPECT_EQ(schedules, (std::vector<std::string>{"lazy", "lifo", "random:1", "pct:2:3", "random:2",
                                                 "pct:3:3"}));
}

TEST(schedule, random_numbers_are_the_same_everywhere) {
  SplitMix random(1234567);  // the reference vector of splitmix64.c
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(schedule, draws_below_a_bound_are_spread) {
  SplitMix random(1);
  std::int64_t count[7] = {};
  for (int i = 0; i < 70000; ++i) ++count[random.below(7)];
  // Within four standard deviations for 70000 draws with probability 1/7.
  for (const std::int64_t n : count)
    EXPECT_NEAR(static_cast<double>(n), 10000, 4 * std::sqrt(70000.0 * 6 / 49));
}

TEST(schedule, loop_orders_are_permutations) {
  for (const std::int64_t n : {1, 2, 3, 16, 17, 1000}) {
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < n; ++i) seen.insert(permuted(i, n, 42));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), n - 1);
  }
  EXPECT_NE(permuted(0, 1000, 1), permuted(0, 1000, 2));
}

}  // namespace
}  // namespace tessera
