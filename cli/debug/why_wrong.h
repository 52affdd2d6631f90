// Origin of the first wrong element in the results of a run.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/reports/compared_results.h"
#include "core/report/expected.h"
#include "interp/run_options.h"

namespace tessera::cli {

// Begins the run again, with the given options.
using Again = std::function<Expected<void>(const RunOptions&)>;

// Returns the first lines of the output of `why`, and the command for the complete output. Empty if
// no result is wrong, or if `why` has no answer (several launches, or insufficient memory).
std::string why_wrong(const Program& program, const std::vector<ComparedResult>& compared,
                      const RunOptions& options, const Again& simulate);

}  // namespace tessera::cli
