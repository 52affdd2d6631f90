// Ordinary runs of a program on small integers, whose sums and products are exact, on zeros and
// with infinities: a program that ends with other results computes something else.
#pragma once
#include <cstddef>
#include <vector>

#include "core/report/expected.h"
#include "interp/launch.h"
#include "interp/run_result.h"

namespace tessera::fields {

class IntegerRuns {
 public:
  // Of a program that runs without a finding; it lives longer.
  explicit IntegerRuns(KeptRun& program) : program_(program) {}

  // Whether another program of the same operands has a finding, or other results, on one of some
  // operands. Errors: what refuses that program, memory.
  Expected<bool> end_otherwise(KeptRun& other);

 private:
  using Results = std::vector<ResultHash>;

  Expected<RunResult> run_on(KeptRun& program, std::size_t draw);

  KeptRun& program_;
  std::vector<Results> expected_;  // for each draw, made when it is first asked for
};

}  // namespace tessera::fields
