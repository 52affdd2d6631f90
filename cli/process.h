// gmm-run as the work of a whole process.
#pragma once
#include <string>
#include <vector>

namespace tessera::cli {

// Runs one command line, without the program name, on standard output and standard error; returns
// the exit code: 3 instead of 0 if standard output accepts only a part of the output. Installs
// signal handlers and exit handlers for the whole process, so call it once, from main() or from a
// script that ends afterwards.
int run_process(const std::vector<std::string>& args);

}  // namespace tessera::cli
