// What becomes of the mutants of a program, as a table and as JSON.
#pragma once
#include <string>

#include "cli/command.h"
#include "interp/certificate/mutation/mutation_test.h"

namespace tessera::cli {

std::string mutation_lines(const Prepared& prepared, const MutationTest& test);
Json mutation_json(const Prepared& prepared, const MutationTest& test);

}  // namespace tessera::cli
