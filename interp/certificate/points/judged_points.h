// Runs that are asked whether the points of their program's parallel loops are independent.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"

namespace tessera {

// A program whose pipelines stand, for whose runs RunOptions::points is filled: whoever runs only
// the expanded form proves one order of the points. For one thread at a time.
class JudgedPoints {
 public:
  // Of a program that has no parallel loop nothing is judged.
  explicit JudgedPoints(Program structured) : structured_(std::move(structured)) {}
  // Fills `options.points`, if it is asked for: by the form of the program, or else by a run of
  // single points.
  Expected<void> judge(const std::vector<Binding>& bindings, const RunOptions& options);

 private:
  const Program structured_;
  std::optional<Program> per_point_;  // expanded; made when it is first needed
};

}  // namespace tessera
