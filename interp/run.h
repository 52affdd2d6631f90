// Runs an expanded program on the simulated machine. A run is a pure function of (program, inputs,
// schedule).
#pragma once
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// Runs the program and returns its findings, statistics and the reason for its end. The result is
// empty if an observer requests no run (Observer::wants_run()).
// Fails if the input is invalid (check_input()), a `require` fails at launch, or the schedule is
// unknown or does not match the run; with ErrorCode::unsupported if the program is not expanded.
// Defects of the program are findings in the result. A run without arithmetic whose control depends
// on skipped values fails with ErrorCode::unsupported instead of giving a finding.
// Fails with ErrorCode::environment if memory is exhausted before the first step. After the first
// step, the run ends with RunEnd::memory instead, and the result describes the run up to there.
Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                        const RunOptions& options);

}  // namespace tessera
