// The program or operation that `verify` and the readers of its verdicts work on, given by the
// words of a command line.
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

// --budget; by default runs end after CertifyOptions::budget steps.
Option budget_option();
// Options that only verify has.
Options verify_options();
// The command that the second word names; otherwise `run`, which accepts a file or a kernel.
Command verified_command(const std::vector<std::string>& words);
// Options that verify accepts with these words: the applicable options of the verified command, and
// its own options.
Options verify_options(const std::vector<std::string>& words);

// Parses the words of a command line that begins with `verify`, and selects the interpreter. files:
// must outlive the result; may be null. Fails if --device names another device.
Expected<Arguments> verify_arguments(std::vector<std::string> words, Files* files);
Expected<VerifyTarget> verify_target(const Arguments& arguments);
Expected<VerifyTarget> verify_target(std::vector<std::string> words, Files* files = nullptr);

}  // namespace tessera::cli
