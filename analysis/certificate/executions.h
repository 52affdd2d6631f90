// Search through the executions (traces) of a program whose cores read semaphore counts without
// waiting. Equivalent executions are explored once. All other actions commute, so an execution is
// determined by the actions on these counts before each read. New executions are found by following
// a run up to a place where another core could have been next.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/certificate/races/pinned.h"
#include "interp/schedule/schedule.h"

namespace tessera {

class Executions {
 public:
  // Prefix of an execution: cores in the order of their actions on counts that are read, and a
  // schedule that begins with these actions.
  struct Beginning {
    std::vector<RecordedAgentId> cores;
    std::string schedule;
  };

  // Adds the new beginnings found in a complete run that began with `with`. Returns false if the
  // run does not begin so, or if a copy changes a count that is read; some beginnings may then have
  // been added.
  // order: order seed of parallel loops, for the schedules of take().
  bool follow(const Record& record, const Beginning& with, std::optional<std::uint64_t> order);
  bool is_empty() const { return open_.empty(); }
  // Number of beginnings, each of which is one run still to be done.
  std::int64_t left() const { return static_cast<std::int64_t>(open_.size()); }
  // Removes and returns the beginning that was added last. Requires !is_empty().
  Beginning take();

 private:
  class Walk;
  // Beginnings share their common steps. A step extends the step `before` by one visible event of a
  // core. `items` are the steps of all agents from there until only visible events are left.
  struct Step;
  using StepId = Id<Step>;
  struct Step {
    StepId before;
    RecordedAgentId core;
    std::vector<ScheduleItem> items;
  };
  struct Open {
    StepId after;
    RecordedAgentId core;
  };
  // Visible events of one core.
  using HistoryId = Id<struct History>;
  // The earlier events, and the last one: for a read, the number of visible events of each core on
  // its cell before the read.
  struct Done {
    HistoryId before;
    std::vector<std::int32_t> read_after;
    auto operator<=>(const Done&) const = default;
  };
  using Histories = Table<RecordedAgentId, HistoryId>;  // by core

  StepId step(StepId before, RecordedAgentId core, std::vector<ScheduleItem> items);

  std::map<Done, HistoryId> histories_;
  std::set<std::vector<HistoryId>> known_;  // histories of all cores
  Table<StepId, Step> steps_;
  std::map<std::pair<StepId, RecordedAgentId>, StepId> step_of_;  // by preceding step and core
  std::vector<Open> open_;
  std::optional<std::uint64_t> order_;
  Topology topology_{0, 1};
};

}  // namespace tessera
