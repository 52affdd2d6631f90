// gmm-run as a function: no global state, no output but on the streams given.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

// Runs one command line, the program's name left out; returns the exit code.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);
// Whether the command's first word is a file: the golden tests put theirs there.
bool takes_file(std::string_view command);

}  // namespace tessera::cli
