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

// Returns the option --budget; by default runs end after CertifyOptions::budget steps or recorded
// events.
Option budget_option();
// Returns the options that only verify has.
Options verify_options();
// Returns the command that the second word names, if it prepares a program; otherwise `run`, which
// accepts a file or a kernel.
Command verified_command(const std::vector<std::string>& words);
// Returns the options that verify accepts with these words: the applicable options of the verified
// command, and its own options.
Options verify_options(const std::vector<std::string>& words);

// Returns the invocation without the options that verify does not accept or that choose one
// schedule.
Invocation taken_by_verify(const Invocation& invocation);

// Parses the words of a command line that begins with `verify`, and selects the interpreter. Fails
// like parse_arguments(), and if --device names another device. files: must outlive the result; may
// be null.
Expected<Arguments> verify_arguments(std::vector<std::string> words, Files* files);
// Return the prepared target, without running it, and the options of its proof. The first form
// requires verify_arguments(), the second parses the words with it. Fail for malformed options, and
// if the command cannot prepare a program.
Expected<VerifyTarget> verify_target(const Arguments& arguments);
Expected<VerifyTarget> verify_target(std::vector<std::string> words, Files* files = nullptr);

}  // namespace tessera::cli
