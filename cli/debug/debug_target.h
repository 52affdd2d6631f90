// What `debug` runs: a program or an operation, by the words of a command line.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "interp/session/session.h"

namespace tessera::cli {

// The options of debug alone.
Options debug_options();
// Those that it takes with these words: of the command that they name, as far as they say how its
// run goes, and its own.
Options debug_options(const std::vector<std::string>& words);

// The words begin with `debug`. What would run runs on the interpreter, and stands before its first
// step.
Expected<Arguments> debug_arguments(std::vector<std::string> words);
Expected<std::unique_ptr<Session>> debug_session(const Arguments& arguments);

}  // namespace tessera::cli
