// Target of `debug`: a program or an operation, given by the words of a command line.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "debugger/session/session.h"

namespace tessera::cli {

// Returns the options of the target command, which the second word names, otherwise those of `run`.
// Options that do not affect its run are omitted. words: a command line; the first word is ignored.
Options target_options(const std::vector<std::string>& words);

// Returns the name of an option of this command next to the target's options: `otherwise` if the
// target has an option with this name, for example --batch of ragged-dot.
std::string_view own_name(const Options& of_target, std::string_view name,
                          std::string_view otherwise);

// Parses the words with these options and selects the interpreter. Fails like parse_arguments(),
// and if --device names another device. `files` must outlive the result; may be null.
Expected<Arguments> debug_arguments(std::vector<std::string> words, Options options, Files* files);
// Opens a session on the target, before its first step. Fails if the target cannot be prepared, and
// with ErrorCode::unsupported if it is an operation without a run on the interpreter.
// arguments: from debug_arguments().
Expected<std::unique_ptr<Session>> debug_session(const Arguments& arguments);

}  // namespace tessera::cli
