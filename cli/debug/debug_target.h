// What `debug` runs: a program or an operation, by the words of a command line.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "debugger/session/session.h"

namespace tessera::cli {

// Of the command that the words name behind the first: its options as far as they say how its run
// goes.
Options target_options(const std::vector<std::string>& words);

// What an option of this command is called beside them: `otherwise` where the other command has one
// of that name, as ragged-dot has --batch.
std::string_view own_name(const Options& of_target, std::string_view name,
                          std::string_view otherwise);

// With these options. What would run runs on the interpreter, and stands before its first step.
Expected<Arguments> debug_arguments(std::vector<std::string> words, Options options, Files* files);
Expected<std::unique_ptr<Session>> debug_session(const Arguments& arguments);

}  // namespace tessera::cli
