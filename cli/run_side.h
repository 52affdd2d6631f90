// One of two runs that a command compares: a file, a kernel or an operation, optionally with its
// own options in one quoted word, `"gmm --tiling 8,8,8"`.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "interp/launch.h"

namespace tessera::cli {

struct RunSide {
  std::string text;  // words, kernel and settings, for reports
  KeptRun run;
  Arguments given;      // own arguments, and those common to both runs
  std::string command;  // `run`, or the name of the operation
};

using OptionNames = std::span<const std::string_view>;
// Returns the options of `run` and of the commands that the words name, except `not_taken`.
// words: a command line; the first word, the comparing command, and options are ignored.
Options run_side_options(const std::vector<std::string>& words, OptionNames not_taken);
// Returns the run of `word`: a file, a kernel, an operation, or a quoted command with options of
// its own. The run is on the interpreter and also has those options of `arguments` that its command
// accepts, except `not_taken`; these are marked as read. Does not execute the run. Fails if `word`
// names no program, if its own option changes nothing, or with ErrorCode::unsupported if the run
// cannot be compared. The files of `arguments` must outlive the result.
Expected<RunSide> run_side(const std::string& word, const Arguments& arguments,
                           OptionNames not_taken);

// Returns the run of a whole command line, which must begin with `run`. Like the other form, but
// has only its own options. files: must outlive the result; may be null.
Expected<RunSide> run_side(std::vector<std::string> words, OptionNames not_taken, Files* files);

}  // namespace tessera::cli
