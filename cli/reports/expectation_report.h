// Report on results that were compared with expected values, and on results that were not.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/reports/compared_results.h"
#include "cli/reports/console.h"
#include "core/report/finding.h"
#include "interp/observe/observer.h"

namespace tessera::cli {

// Runs the program again with these observers. Must write the same results.
using Rerun = std::function<Expected<void>(const std::vector<Observer*>& observers)>;

// One finding per result with wrong elements: the first wrong element, and the place that wrote the
// tile around it. If `rerun` is empty, the place is the declaration of the result.
Expected<std::vector<Finding>> mismatches(const Program& program,
                                          const std::vector<ComparedResult>& results,
                                          const Rerun& rerun);

// Line `values`: results that are as expected, and results that were not compared. Empty if the
// program has no results. results: without wrong elements.
std::string value_lines(const Program& program, const std::vector<ComparedResult>& results,
                        int devices);
// One row per result and device.
Json values_json(const Program& program, const std::vector<ComparedResult>& results, int devices);

}  // namespace tessera::cli
