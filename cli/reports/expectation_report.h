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

// Returns one finding per result with wrong elements: the first wrong element, and the place that
// wrote the tile around it. If `rerun` is empty or shows no such write, the place is the
// declaration of the result. Runs nothing if no element is wrong; fails if the second run fails.
Expected<std::vector<Finding>> mismatches(const Program& program,
                                          const std::vector<ComparedResult>& results,
                                          const Rerun& rerun);

// Returns the lines `values`: results that are as expected, and results that were not compared.
// Empty if the program has no results. results: without wrong elements.
std::string value_lines(const Program& program, const std::vector<ComparedResult>& results,
                        int devices);
// Returns one row per result and device, also for results that were not compared.
Json values_json(const Program& program, const std::vector<ComparedResult>& results, int devices);

}  // namespace tessera::cli
