// Whether what a command prints with --json is what docs/schema/gmm-run.json says of it.
#pragma once
#include <string>

namespace tessera::test {

// Empty when the text fits the schema of that command, or of errors; else what does not.
std::string schema_problem(const std::string& command, const std::string& text);
// Why nothing is compared, or empty.
std::string schema_check_is_missing();

}  // namespace tessera::test
