// What `equal` compares: two programs, each by the words of a command line.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"
#include "interp/launch.h"

namespace tessera::cli {

// One of the two: a file, a kernel or an operation, alone or with options of its own in one quoted
// word, `"gmm --tiling 8,8,8"`.
struct ComparedProgram {
  std::string text;  // the words, and the kernel with its settings, for reports
  KeptRun run;
  bool is_definition = false;
  std::vector<std::string> zeros{};  // tables of integers that nobody gave
};

// The options of the commands that the words name, as far as they say what is computed.
Options equal_options(const std::vector<std::string>& words);
// That of `word`, with the options beside it that its command takes. Nothing has run yet.
Expected<ComparedProgram> equal_side(const std::string& word, const Arguments& arguments);

// What the kernel of a side is by definition, at its sizes and on one device.
Expected<ComparedProgram> definition_side(const ComparedProgram& of);

}  // namespace tessera::cli
