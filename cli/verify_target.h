// What `verify` and what looks at its verdicts ask about: a program or an operation, by the words
// of a command line.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

struct VerifyTarget {
  Arguments arguments;
  Prepared prepared;
  CertifyOptions how;
};

// --budget, of commands whose runs end without one after CertifyOptions::budget steps.
Option budget_option();
// The options of verify alone.
Options verify_options();
// The command that the word after `verify` names, else `run`, which takes a file or a kernel.
Command verified_command(const std::vector<std::string>& words);
// The options that verify takes with these words: the command's, as far as they mean something
// here, and its own.
Options verify_options(const std::vector<std::string>& words);

// The words begin with `verify`.
Expected<Arguments> verify_arguments(std::vector<std::string> words, Files* files);
Expected<VerifyTarget> verify_target(const Arguments& arguments);
Expected<VerifyTarget> verify_target(std::vector<std::string> words, Files* files = nullptr);

}  // namespace tessera::cli
