// Executions (traces) of programs whose cores read semaphore counts without waiting; equivalent
// ones are explored once. Everything else that agents do commutes, so an execution is what was done
// on these counts before each read. They are found one from another: a run is followed up to a
// place where another core could have come next.
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
  // Cores in the order in which they act on counts that are read, and a schedule that begins so.
  struct Beginning {
    std::vector<RecordedAgentId> cores;
    std::string schedule;
  };

  // Beginnings that no run had yet, of a complete run that began with `with`. False: the run does
  // not begin so.
  bool follow(const Record& record, const Beginning& with, std::optional<std::uint64_t> order);
  bool is_empty() const { return open_.empty(); }
  // Each of them is a run that is still to be done.
  std::int64_t left() const { return static_cast<std::int64_t>(open_.size()); }
  Beginning take();

 private:
  class Walk;
  // Beginnings share what they have in common: one is a step behind another, by a core, and what
  // all agents did from there on until only such steps were left.
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
  // What a core did.
  using HistoryId = Id<struct History>;
  // All but the last, and what that was: of a read how many visible events each core had done on
  // its cell.
  struct Done {
    HistoryId before;
    std::vector<std::int32_t> read_after;
    auto operator<=>(const Done&) const = default;
  };
  using Histories = Table<RecordedAgentId, HistoryId>;  // by core

  StepId step(StepId before, RecordedAgentId core, std::vector<ScheduleItem> items);

  std::map<Done, HistoryId> histories_;
  std::set<std::vector<HistoryId>> known_;  // by core
  Table<StepId, Step> steps_;
  std::map<std::pair<StepId, RecordedAgentId>, StepId> step_of_;  // behind which, by whom
  std::vector<Open> open_;
  std::optional<std::uint64_t> order_;
  Topology topology_{0, 1};
};

}  // namespace tessera
