// Whether the points of parallel loops are independent, decided from one run in which each point
// does all of its work by itself (Expansion::per_point). What each touches is compared by
// points_observer.h; points that signal others, or wait for them, by point_threads.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "interp/binding.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// What holds of a parallel loop of the source, in all of its runs.
struct ParallelLoop {
  Loc loc{};
  Loc written{};              // in the program's own text, where no two loops have one place
  std::string name;           // of its variable
  bool any_order = true;      // its points may come in any order
  bool any_split = true;      // and in any groups, each with a copy of the core's scratch
  std::string why_whole;      // why not in any groups; empty where they may, or no order is right
  bool synchronises = false;  // a point signals others, or waits for a count that others change
  bool is_compared = false;   // and its points were compared as agents
  std::int64_t points = 0;    // how many there were in all, where a run judged them
  bool by_structure = false;  // the form of the program shows it, without a run of single points
  // Nothing speaks against any order, but what its points meet elsewhere was not looked at.
  bool is_undecided() const { return synchronises && any_order && !is_compared; }
};

struct PointsVerdict {
  std::vector<ParallelLoop> loops;                         // in the order of the program
  std::vector<Finding> findings;                           // races of points
  std::int64_t more_races = 0;                             // beside those that are listed
  std::vector<Finding> of_the_run;                         // what the run of single points met
  CopyGranularity granularity = CopyGranularity::partial;  // of copies, asked for
  RunEnd end = RunEnd::program;  // what ended a run of single points before it was done
};

// Whether the program has a parallel loop or grid dimension.
bool has_points(const Program& program);
// Runs a program that is expanded point by point, without arithmetic unless control depends on it.
// What it writes into results means nothing.
Expected<PointsVerdict> judge_points(const Program& per_point, const std::vector<Binding>& bindings,
                                     const RunOptions& options, CopyGranularity granularity);

}  // namespace tessera
