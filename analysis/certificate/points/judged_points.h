// Runs that decide whether the iterations of parallel loops are independent, and the form in which
// the program runs.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/planning/planned_run.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

struct PointsVerdict;  // analysis/certificate/points/points.h

// Value of RunOptions::rewrite that requests the form with synchronous blocks of pipelines
// (core/passes/at_once.h). Without the structured program, the expanded one is run.
struct MoveAtOnce {
  Shortcuts shortcuts;
  Program operator()(const Program& expanded) const { return expanded; }
};
// True if RunOptions::rewrite is a MoveAtOnce.
bool asks_at_once(const RunOptions& options);

// A structured program whose runs fill RunResult::points if RunChecks::loops is set; a run
// of the expanded form proves only one order of the iterations. Not thread-safe.
class JudgedPoints {
 public:
  // structured: must not be null. Without parallel loops in it, RunResult::points is not set.
  explicit JudgedPoints(std::shared_ptr<const Program> structured)
      : structured_(std::move(structured)) {}
  explicit JudgedPoints(Program structured)
      : JudgedPoints(std::make_shared<const Program>(std::move(structured))) {}
  // Runs the expanded program, or the form that RunOptions::rewrite selects. Fails like
  // tessera::run(), also in a run of single iterations, or if the other form cannot be expanded.
  // Throws Interrupted if the analysis of iterations is stopped.
  Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                          const RunOptions& options);

 private:
  // Decides from the structure of the program, otherwise by a run of single iterations. Returns
  // null if RunChecks::loops is not set or the program has no parallel loop.
  Expected<std::shared_ptr<const PointsVerdict>> judge(const std::vector<Binding>& bindings,
                                                       const RunOptions& options);
  Expected<RunResult> run_at_once(const std::vector<Binding>& bindings, const RunOptions& options);

  // Expanded programs, created when they are first needed.
  struct Forms {
    std::optional<Program> whole, per_point;
  };

  const std::shared_ptr<const Program> structured_;
  Forms expanded_, at_once_;
};

}  // namespace tessera
