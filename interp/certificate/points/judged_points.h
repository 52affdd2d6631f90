// Runs that are asked whether the points of their program's parallel loops are independent, and in
// which form the program runs.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// As RunOptions::rewrite it asks for the form in which blocks of pipelines move at once
// (core/passes/at_once.h). Whoever has no structured program runs the expanded one.
struct MoveAtOnce {
  // Pipelines of a known pattern are not run (interp/machine/pipeline_patterns.h).
  bool knows_patterns = true;
  // Loads that say what is done are no steps (interp/machine/quiet_numbers.h).
  bool joins_loads = true;
  Program operator()(const Program& expanded) const { return expanded; }
};
bool asks_at_once(const RunOptions& options);

// A program whose pipelines stand, for whose runs RunOptions::points is filled: whoever runs only
// the expanded form proves one order of the points. For one thread at a time.
class JudgedPoints {
 public:
  // Of a program that has no parallel loop nothing is judged.
  explicit JudgedPoints(std::shared_ptr<const Program> structured)
      : structured_(std::move(structured)) {}
  explicit JudgedPoints(Program structured)
      : JudgedPoints(std::make_shared<const Program>(std::move(structured))) {}
  // Fills `options.points`, if it is asked for: by the form of the program, or else by a run of
  // single points.
  Expected<void> judge(const std::vector<Binding>& bindings, const RunOptions& options);
  // The same, and the run: of the expanded program, or of the form that is asked for.
  Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                          const RunOptions& options);

 private:
  Expected<RunResult> run_at_once(const std::vector<Binding>& bindings, const RunOptions& options);

  // What expansions made, when they were first needed.
  struct Forms {
    std::optional<Program> whole, per_point;
  };

  const std::shared_ptr<const Program> structured_;
  Forms expanded_, at_once_;
};

}  // namespace tessera
