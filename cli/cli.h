// gmm-run as a function that prints only to the given streams.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

// Runs one command line, without the program name; returns the exit code (listed by `gmm-run
// help`). Errors are printed, failed allocations too. The work ends early on a signal
// (catch_signals()). The memory of the process may be capped during the command.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);
// True if a command has this name and its first operand is a file (also FILE.tsr|KERNEL). The
// golden tests insert their file there.
bool takes_file(std::string_view command);

}  // namespace tessera::cli
