// Compares the --json output of commands with docs/schema/gmm-run.json.
#pragma once
#include <string>

namespace tessera::test {

// Returns the differences between the text and the schema of the command or of errors; empty if the
// text fits.
std::string schema_problem(const std::string& command, const std::string& text);
// Returns the reason why nothing is compared; empty if the schema check is available.
std::string schema_check_is_missing();

}  // namespace tessera::test
