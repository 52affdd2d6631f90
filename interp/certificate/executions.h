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

#include "interp/certificate/races/pinned.h"
#include "interp/schedule/schedule.h"

namespace tessera {

class Executions {
 public:
  // Cores in the order in which they act on counts that are read, and a schedule that begins so.
  struct Beginning {
    std::vector<std::int32_t> cores;
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
  struct Step {
    std::int32_t before, core;
    std::vector<ScheduleItem> items;
  };
  struct Open {
    std::int32_t after, core;
  };

  std::int32_t step(std::int32_t before, std::int32_t core, std::vector<ScheduleItem> items);

  // Numbers for what a core did: the number of all but the last, and what that was.
  std::map<std::vector<std::int32_t>, std::int32_t> histories_;
  std::set<std::vector<std::int32_t>> known_;  // by core: its history
  std::vector<Step> steps_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> step_of_;  // behind which, by whom
  std::vector<Open> open_;
  std::optional<std::uint64_t> order_;
  Topology topology_{0, 1};
};

}  // namespace tessera
