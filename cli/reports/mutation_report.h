// Fates of the mutants of a program, for synchronising ops and for values, as tables and as JSON.
#pragma once
#include <string>

#include "cli/command.h"
#include "tests/mutation/mutation_test.h"
#include "tests/mutation/value_test.h"

namespace tessera::cli {

struct Mutations {
  MutationTest synchronising;
  fields::ValueTest values;
};

// Return the report. The text has tables of the fates, and lists only the mutants that passed, are
// undecided, or have a race with an explanation; the JSON lists all.
std::string mutation_lines(const Prepared& prepared, const Mutations& mutations);
Json mutation_json(const Prepared& prepared, const Mutations& mutations);

}  // namespace tessera::cli
