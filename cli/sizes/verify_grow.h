// verify --cases grow: the same program at larger sizes, one size at a time.
#pragma once
#include "cli/args/options.h"
#include "cli/reports/console.h"

namespace tessera::cli {

// Verifies the given sizes and larger ones, up to the first that is refuted, and prints a table.
// Returns the exit code: 1 if a size is refuted, 2 after an error, 3 if the budget of events ends
// first.
int verify_grow(const Arguments& arguments, Console& console);

}  // namespace tessera::cli
