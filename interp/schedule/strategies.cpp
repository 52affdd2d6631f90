#include "interp/schedule/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/report/check.h"

namespace tessera {
namespace {

using enum ScheduleArguments;

// eager, the default, first; a list of steps, which no one draws, last.
constexpr Strategy table[] = {
    {.name = "eager", .make = make_eager},
    {.name = "lazy", .make = make_lazy},
    {.name = "lifo", .make = make_lifo},
    {.name = "random", .arguments = seed, .make = make_random, .samples = 3},
    {.name = "pct",
     .arguments = seed_and_depth,
     .make = make_pct,
     .draws_among_steps = true,
     .samples = 6},
    {.name = "steps", .arguments = items, .make = make_replay},
};
static_assert(std::begin(table)->name == "eager" && std::prev(std::end(table))->arguments == items);

}  // namespace

std::span<const Strategy> strategies() { return table; }

const Strategy* find_strategy(std::string_view name) {
  const auto* row = std::find_if(std::begin(table), std::end(table),
                                 [&](const Strategy& s) { return s.name == name; });
  return row == std::end(table) ? nullptr : row;
}

std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, std::int64_t steps) {
  const Strategy* strategy = find_strategy(schedule.strategy);
  CHECK(strategy != nullptr);
  return strategy->make(schedule, steps);
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
  CHECK(strategy.arguments != ScheduleArguments::items);
  return to_string(Schedule{.strategy = std::string(strategy.name), .seed = seed, .depth = depth});
}

std::vector<std::string> sample_schedules(int seeds, std::uint64_t first) {
  std::vector<std::string> schedules;
  for (const Strategy& strategy : table) {
    if (strategy.arguments == items) continue;
    const int count = strategy.arguments == none ? 1 : std::min(seeds, strategy.samples);
    for (int i = 0; i < count; ++i)
      schedules.push_back(schedule_text(strategy, first + static_cast<std::uint64_t>(i)));
  }
  return schedules;
}

}  // namespace tessera
