// The strategies that a schedule can name, in one table. It is used by the text form of schedules,
// the help of --schedule, fuzzers, the exploration of schedules and tests. A new strategy needs a
// file with its maker, the declaration of the maker here, and a row in strategies.cpp.
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

// steps: expected number of steps of the run; 0: unknown. A strategy may draw among them.
using MakeScheduler = std::unique_ptr<Scheduler>(const Schedule& schedule, std::int64_t steps);

// Each maker is defined in the file of its strategy.
MakeScheduler make_eager, make_lazy, make_lifo, make_random, make_pct, make_steps;

// Minimum probability that one run finds a fault that needs `depth` events in one order, with this
// number of agents and steps.
using FaultBound = double(std::int64_t agents, std::int64_t steps, std::int64_t depth);
FaultBound pct_bound;

// Arguments of a strategy. A seed also determines the order of parallel loops.
enum class ScheduleArguments : std::uint8_t { none, seed, seed_and_depth, items };

struct Strategy {
  std::string_view name;
  ScheduleArguments arguments = ScheduleArguments::none;
  MakeScheduler* make = nullptr;
  bool draws_among_steps = false;  // needs the number of steps of the run
  FaultBound* bound = nullptr;     // null: no bound is known
  int samples = 1;                 // with a seed: maximum for sample_schedules()

  // True if each seed gives a different schedule.
  constexpr bool has_seed() const {
    return arguments == ScheduleArguments::seed || arguments == ScheduleArguments::seed_and_depth;
  }
  // True if the strategy replays a recorded run, from the items of the schedule.
  constexpr bool replays() const { return arguments == ScheduleArguments::items; }
};

std::span<const Strategy> strategies();
// Null if there is no strategy with this name.
const Strategy* find_strategy(std::string_view name);
// Strategy of a schedule that was created by parse_schedule() or replay_of_items().
const Strategy& strategy_of(const Schedule& schedule);
// Schedule of the strategy that replays, without items.
Schedule replay_of_items(std::optional<std::uint64_t> order);
// Creates the scheduler of the schedule's strategy. steps: see MakeScheduler.
std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, std::int64_t steps = 0);

// Returns one form for each row of the table, in that order: "eager", "random:SEED", "steps:...".
std::vector<std::string> schedule_forms();
// Returns the text form of a schedule, for example "random:7", "pct:7:3" or "eager". Not for the
// strategy that replays.
std::string schedule_text(const Strategy& strategy, std::uint64_t seed, std::int64_t depth = 3);
// Schedules that fit every program: one for each strategy without a seed, and `seeds` for each
// strategy with a seed, at most Strategy::samples. Seeds start at `first`.
std::vector<std::string> sample_schedules(int seeds, std::uint64_t first = 1);
// Returns the text form of schedule `number` of an exploration, from 1; schedule 0 is the caller's.
// The strategies without a seed, except the default, come first. Then the strategies with a seed
// take turns, each time with another seed.
std::string explored_schedule(std::int64_t number, std::int64_t depth);

}  // namespace tessera
