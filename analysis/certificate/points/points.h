// Decides whether the iterations of parallel loops are independent, from one run in which each
// iteration does its work separately (Expansion::per_point). points_observer.h compares the
// accesses of iterations; point_threads.h analyses iterations that signal or wait for others.
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

// The number of an iteration or dimension, at least 0, as an index of a container.
inline std::size_t at_index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Verdict on a parallel loop of the source, in all of its runs.
struct ParallelLoop {
  Loc loc{};
  Loc written{};              // in the program's own text, where each loop has a unique place
  std::string name;           // loop variable
  bool any_order = true;      // iterations may run in any order
  bool any_split = true;      // and in any groups, each with a copy of the core's scratch
  std::string why_whole;      // reason against groups; empty if any_split, or if not any_order
  bool synchronises = false;  // an iteration signals others, or waits for counts that others change
  bool is_compared = false;   // its iterations were compared as agents
  std::int64_t points = 0;    // total number of iterations; 0: no run was needed
  bool by_structure = false;  // decided by the structure of the program
  // True if nothing contradicts any_order, but the synchronisation of iterations was not analysed.
  bool is_undecided() const { return synchronises && any_order && !is_compared; }
};

struct PointsVerdict {
  std::vector<ParallelLoop> loops;  // in program order
  std::vector<Finding> findings;    // races between iterations
  std::int64_t more_races = 0;      // races that are not listed
  std::vector<Finding> of_the_run;  // findings of the run of single iterations
  CopyGranularity granularity = CopyGranularity::partial;  // requested copy granularity
  RunEnd end = RunEnd::program;  // reason why the run of single iterations ended early
};

// True if the program has a parallel loop or grid dimension.
bool has_points(const Program& program);
// Returns the verdict on the parallel loops of a program that is expanded iteration by iteration.
// Runs it, without arithmetic unless control depends on it: the values of its results are then
// undefined. Iterations that synchronise are compared as agents, with copies of this granularity,
// in a second run. They stay undecided (is_undecided()) if one of the runs does not complete, the
// second one has too many events, or iterations send copies to other devices with copies in order.
// Fails if a run fails; throws Interrupted if the comparison is stopped.
Expected<PointsVerdict> judge_points(const Program& per_point, const std::vector<Binding>& bindings,
                                     const RunOptions& options, CopyGranularity granularity);

}  // namespace tessera
