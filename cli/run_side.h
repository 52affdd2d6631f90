// One of two runs that a command holds against each other: a file, a kernel or an operation, alone
// or with options of its own in one quoted word, `"gmm --tiling 8,8,8"`.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "interp/launch.h"

namespace tessera::cli {

struct RunSide {
  std::string text;  // the words, and the kernel with its settings, for reports
  KeptRun run;
  Arguments given;      // its own and those that both have
  std::string command;  // `run`, or the operation's own
};

// The options of the commands that the words name, without those that have no meaning here.
using OptionNames = std::span<const std::string_view>;
Options run_side_options(const std::vector<std::string>& words, OptionNames not_taken);
// The run of `word`, with the options beside it that its command takes. Nothing has run yet.
Expected<RunSide> run_side(const std::string& word, const Arguments& arguments,
                           OptionNames not_taken);

// The run of a whole command line, which begins with `run`. files: must outlive the result.
Expected<RunSide> run_side(std::vector<std::string> words, OptionNames not_taken, Files* files);

}  // namespace tessera::cli
