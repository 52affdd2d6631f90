// The two programs that `equal` compares, each given by the words of a command line.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"
#include "interp/launch.h"

namespace tessera::cli {

// One of the two programs: a file, a kernel or an operation, optionally with its own options in
// one quoted word, `"gmm --tiling 8,8,8"`.
struct ComparedProgram {
  std::string text;  // words, kernel and settings, for reports
  KeptRun run;
  bool is_definition = false;
  std::vector<std::string> zeros{};  // integer tables without given values
};

// Options of the commands that the words name, if they affect the computed values, with --budget
// and --definition.
Options equal_options(const std::vector<std::string>& words);
// The program of `word`, with those options of `arguments` that its command accepts. Does not run
// the program.
Expected<ComparedProgram> equal_side(const std::string& word, const Arguments& arguments);

// The definition of the kernel of `of`, for the same sizes and one device.
Expected<ComparedProgram> definition_side(const ComparedProgram& of);

}  // namespace tessera::cli
