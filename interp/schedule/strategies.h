// The strategies that a schedule can name: the one table that the text form of schedules, the help
// of --schedule, fuzzers, the certificate's exploration and tests ask. A new one is a file with its
// maker, the maker's declaration here, and its row in strategies.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/schedule/schedule.h"

namespace tessera {

// steps: how many the run will have, as far as one knows; a strategy may draw among them.
using MakeScheduler = std::unique_ptr<Scheduler>(const Schedule& schedule, std::int64_t steps);

// Each in the file of its name.
MakeScheduler make_eager, make_lazy, make_lifo, make_random, make_pct, make_steps;

// The least probability that one run of the strategy meets a fault that needs `depth` events in one
// order, of so many agents and steps.
using FaultBound = double(std::int64_t agents, std::int64_t steps, std::int64_t depth);
FaultBound pct_bound;

// What stands behind a strategy's name. A seed is that of the order of parallel loops, too.
enum class ScheduleArguments : std::uint8_t { none, seed, seed_and_depth, items };

struct Strategy {
  std::string_view name;
  ScheduleArguments arguments = ScheduleArguments::none;
  MakeScheduler* make = nullptr;
  bool draws_among_steps = false;  // it has to know how many steps the run will have
  FaultBound* bound = nullptr;     // none: nothing is known of the faults that it meets
  int samples = 1;                 // of one with a seed: the most of sample_schedules()

  // Each run of another seed is another run.
  constexpr bool has_seed() const {
    return arguments == ScheduleArguments::seed || arguments == ScheduleArguments::seed_and_depth;
  }
  // It repeats a run that was recorded, whose items already say who moved when.
  constexpr bool replays() const { return arguments == ScheduleArguments::items; }
};

std::span<const Strategy> strategies();
// Null: there is none of that name.
const Strategy* find_strategy(std::string_view name);
// The strategy of a schedule that parse_schedule() or replay_of_items() made.
const Strategy& strategy_of(const Schedule& schedule);
// A schedule of the strategy that replays; it has no items yet.
Schedule replay_of_items(std::optional<std::uint64_t> order);
std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, std::int64_t steps = 0);

// "eager", "random:SEED", "steps:...": one for each row, in that order.
std::vector<std::string> schedule_forms();
// "random:7", "pct:7:3", "eager"; of a strategy that takes no items.
std::string schedule_text(const Strategy& strategy, std::uint64_t seed, std::int64_t depth = 3);
// A schedule of each strategy that fits every program: of those with a seed one for each of so many
// seeds from `first` on, at most Strategy::samples.
std::vector<std::string> sample_schedules(int seeds, std::uint64_t first = 1);
// Schedule `number` of an exploration, whose schedule 0 the caller has: from 1 on those without a
// seed but the default, then by turns those with one, each time with another seed.
std::string explored_schedule(std::int64_t number, std::int64_t depth);

}  // namespace tessera
