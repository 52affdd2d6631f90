// Why the first wrong element of a run's results is as it is: what it was made from.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/reports/compared_results.h"
#include "core/report/expected.h"
#include "interp/run_options.h"

namespace tessera::cli {

// Begins a run once more, under the options that it is given.
using Again = std::function<Expected<void>(const RunOptions&)>;

// The first lines of the answer that `why` gives, and how to ask for all; empty where nothing is
// wrong or there is no such answer (several launches, memory that does not suffice).
std::string why_wrong(const Program& program, const std::vector<ComparedResult>& compared,
                      const RunOptions& options, const Again& simulate);

}  // namespace tessera::cli
