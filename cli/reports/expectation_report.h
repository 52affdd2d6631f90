// What a report says of results that were compared with expected ones, and of those that were not.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/reports/compared_results.h"
#include "cli/reports/console.h"
#include "core/report/finding.h"
#include "interp/observe/observer.h"

namespace tessera::cli {

// Runs the program again, with these observers; it writes the same results.
using Rerun = std::function<Expected<void>(const std::vector<Observer*>& observers)>;

// A finding for each result with wrong elements: the first of them, and where the program wrote the
// tile that it is in. Without `rerun` the place is that of the result's declaration.
Expected<std::vector<Finding>> mismatches(const Program& program,
                                          const std::vector<ComparedResult>& results,
                                          const Rerun& rerun);

// `values`: which results are as expected, which nobody compared. Empty without results.
std::string value_lines(const Program& program, const std::vector<ComparedResult>& results,
                        int devices);
// A row for each result of each device.
Json values_json(const Program& program, const std::vector<ComparedResult>& results, int devices);

}  // namespace tessera::cli
