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

// Returns the options of the commands that the words name, if they affect the computed values, with
// --budget and --definition. words: a command line; the first word is ignored.
Options equal_options(const std::vector<std::string>& words);
// Returns the program of `word`, with those options of `arguments` that its command accepts. Does
// not run the program. Fails like run_side(), for a wrong --budget, and if an option gives values
// for an operand of floats: these values are drawn.
Expected<ComparedProgram> equal_side(const std::string& word, const Arguments& arguments);

// Returns the definition of the kernel of `of`, for the same sizes, on one device with unlimited
// memory. Fails like make_definition(). Its operands are zeros.
Expected<ComparedProgram> definition_side(const ComparedProgram& of);

}  // namespace tessera::cli
