// Runs that are asked whether the points of their program's parallel loops are independent, and in
// which form the program runs.
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

// As RunOptions::rewrite it asks for the form in which blocks of pipelines move at once
// (core/passes/at_once.h). Whoever has no structured program runs the expanded one.
struct MoveAtOnce {
  Shortcuts shortcuts;
  Program operator()(const Program& expanded) const { return expanded; }
};
bool asks_at_once(const RunOptions& options);

// A structured program whose runs fill RunResult::points if RunChecks::loops is set; a run
// of the expanded form proves only one order of the iterations. Not thread-safe.
class JudgedPoints {
 public:
  // Of a program that has no parallel loop nothing is judged.
  explicit JudgedPoints(std::shared_ptr<const Program> structured)
      : structured_(std::move(structured)) {}
  explicit JudgedPoints(Program structured)
      : JudgedPoints(std::make_shared<const Program>(std::move(structured))) {}
  // Runs the expanded program, or the form that RunOptions::rewrite selects.
  Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                          const RunOptions& options);

 private:
  // From the structure of the program, or else from a run of single iterations; may be null.
  Expected<std::shared_ptr<const PointsVerdict>> judge(const std::vector<Binding>& bindings,
                                                       const RunOptions& options);
  Expected<RunResult> run_at_once(const std::vector<Binding>& bindings, const RunOptions& options);

  // What expansions made, when they were first needed.
  struct Forms {
    std::optional<Program> whole, per_point;
  };

  const std::shared_ptr<const Program> structured_;
  Forms expanded_, at_once_;
};

}  // namespace tessera
