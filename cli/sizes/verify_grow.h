// verify --cases grow: the same program at larger sizes, one size at a time.
#pragma once
#include "cli/args/options.h"
#include "cli/reports/console.h"

namespace tessera::cli {

// Verifies the sizes of the arguments and larger ones, up to the first that is refuted, prints a
// table of what each size added, and returns the exit code: 1 if a size is refuted, 3 if the budget
// of events ends first. Prints errors; 2 if the given sizes are not allowed.
int verify_grow(const Arguments& arguments, Console& console);

}  // namespace tessera::cli
