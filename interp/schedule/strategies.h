// The strategies that a schedule can name: the one table that the text form of schedules, the help
// of --schedule, fuzzers, the certificate's exploration and tests ask. A new one is a file with its
// maker, the maker's declaration here, and its row in strategies.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/schedule/schedule.h"

namespace tessera {

// steps: how many the run will have, as far as one knows; a strategy may draw among them.
using MakeScheduler = std::unique_ptr<Scheduler>(const Schedule& schedule, std::int64_t steps);

// Each in the file of its name.
MakeScheduler make_eager, make_lazy, make_lifo, make_random, make_pct, make_replay;

// What stands behind a strategy's name. A seed is that of the order of parallel loops, too.
enum class ScheduleArguments : std::uint8_t { none, seed, seed_and_depth, items };

struct Strategy {
  std::string_view name;
  ScheduleArguments arguments = ScheduleArguments::none;
  MakeScheduler* make = nullptr;
  bool draws_among_steps = false;  // it has to know how many steps the run will have
  int samples = 1;                 // of one with a seed: the most of sample_schedules()
};

std::span<const Strategy> strategies();
// Null: there is none of that name.
const Strategy* find_strategy(std::string_view name);
std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, std::int64_t steps = 0);

// "eager", "random:SEED", "steps:...": one for each row, in that order.
std::vector<std::string> schedule_forms();
// "random:7", "pct:7:3", "eager"; of a strategy that takes no items.
std::string schedule_text(const Strategy& strategy, std::uint64_t seed, std::int64_t depth = 3);
// A schedule of each strategy that fits every program: of those with a seed one for each of so many
// seeds from `first` on, at most Strategy::samples.
std::vector<std::string> sample_schedules(int seeds, std::uint64_t first = 1);

}  // namespace tessera
