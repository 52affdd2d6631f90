// verify --cases N: many sizes, tables and device counts in one summary. Each case is a `verify`
// command that can be repeated; it depends only on the seed and the index of the case.
#pragma once
#include "cli/args/options.h"
#include "cli/reports/console.h"

namespace tessera::cli {

// Verifies the cases, prints the summary or the errors, and returns the exit code: 1 if a case is
// refuted. Values that the arguments give are fixed; the others are drawn by --seed. It is an error
// if no case has an accepted draw, or if an option changes nothing.
int verify_cases(const Arguments& arguments, Console& console);

}  // namespace tessera::cli
