#include "interp/schedule/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/report/check.h"

namespace tessera {
namespace {

using enum ScheduleArguments;

// The default, eager, is first. The replay of steps, which is never drawn, is last.
constexpr Strategy table[] = {
    // A copy completes when it starts.
    {.name = "eager", .make = make_eager},
    // A copy moves when a core waits for it, or when nothing else can run.
    {.name = "lazy", .make = make_lazy},
    // The newest copy moves first, and only when no core can run.
    {.name = "lifo", .make = make_lifo},
    // Each step is drawn uniformly among the enabled agents; the order of parallel loops has the
    // same seed.
    {.name = "random", .arguments = seed, .make = make_random, .samples = 3},
    // Random priorities, and DEPTH - 1 random steps at which the highest becomes the lowest;
    // parallel loops as with random.
    {.name = "pct",
     .arguments = seed_and_depth,
     .make = make_pct,
     .draws_among_steps = true,
     .bound = pct_bound,
     .samples = 6},
    // Replays steps, then continues with eager.
    {.name = "steps", .arguments = items, .make = make_steps},
};
static_assert(std::begin(table)->name == "eager" && std::prev(std::end(table))->replays());

}  // namespace

std::span<const Strategy> strategies() { return table; }

const Strategy* find_strategy(std::string_view name) {
  const auto* row = std::find_if(std::begin(table), std::end(table),
                                 [&](const Strategy& s) { return s.name == name; });
  return row == std::end(table) ? nullptr : row;
}

const Strategy& strategy_of(const Schedule& schedule) {
  const Strategy* strategy = find_strategy(schedule.strategy);
  CHECK(strategy != nullptr);
  return *strategy;
}

Schedule replay_of_items(std::optional<std::uint64_t> order) {
  return {.strategy = std::string(std::prev(std::end(table))->name), .order = order};
}

std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, std::int64_t steps) {
  return strategy_of(schedule).make(schedule, steps);
}

std::vector<std::string> schedule_forms() {
  std::vector<std::string> forms;
  for (const Strategy& strategy : table) {
    constexpr std::string_view arguments[] = {"", ":SEED", ":SEED:DEPTH", ":..."};
    forms.push_back(
        fmt::format("{}{}", strategy.name, arguments[static_cast<int>(strategy.arguments)]));
  }
  return forms;
}

std::string schedule_text(const Strategy& strategy, std::uint64_t seed, std::int64_t depth) {
  CHECK(!strategy.replays());
  return to_string(Schedule{.strategy = std::string(strategy.name), .seed = seed, .depth = depth});
}

std::vector<std::string> sample_schedules(int seeds, std::uint64_t first) {
  std::vector<std::string> schedules;
  for (const Strategy& strategy : table) {
    if (strategy.replays()) continue;
    const int count = strategy.has_seed() ? std::min(seeds, strategy.samples) : 1;
    for (int i = 0; i < count; ++i)
      schedules.push_back(schedule_text(strategy, first + static_cast<std::uint64_t>(i)));
  }
  return schedules;
}

std::string explored_schedule(std::int64_t number, std::int64_t depth) {
  std::vector<const Strategy*> plain, seeded;
  for (const Strategy& strategy : strategies().subspan(1)) {
    if (strategy.has_seed()) seeded.push_back(&strategy);
    if (strategy.arguments == none) plain.push_back(&strategy);
  }
  const auto at = static_cast<std::size_t>(number - 1);
  if (at < plain.size()) return schedule_text(*plain[at], 0);
  const std::size_t turn = at - plain.size();
  const auto seed = static_cast<std::uint64_t>(number) / seeded.size();
  return schedule_text(*seeded[turn % seeded.size()], seed, depth);
}

}  // namespace tessera
