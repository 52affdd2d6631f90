// verify --cases N: many sizes, tables and device counts in one summary. Each case is a command of
// its own that `verify` runs again; all follow from (seed, index).
#pragma once
#include "cli/args/options.h"
#include "cli/reports/console.h"

namespace tessera::cli {

// What the arguments give stays as it is; the rest is drawn.
int verify_cases(const Arguments& arguments, Console& console);

}  // namespace tessera::cli
