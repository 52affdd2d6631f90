// A command of gmm-run: what it is called, what it takes, and the function that runs it.
#pragma once
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"

namespace tessera::cli {

struct Command {
  std::string_view name;
  std::string_view operand;   // "FILE.tsr", "FILE.tsr|KERNEL" or empty; the one word it takes
  std::string_view summary;   // one line, for the list of commands
  std::string_view examples;  // lines of the form "gmm-run ..."; the first thing --help shows
  Options options;            // --json and --help are added to every command's
  int (*run)(const Arguments& arguments, Console& console);
};

Command gmm_command();
Command tgmm_command();
Command run_command();
Command check_command();
Command fmt_command();
Command expand_command();
Command list_command();
Command ops_command();
Command fuzz_command();
Command bench_command();

// In the order in which --help lists them.
std::vector<Command> commands();

}  // namespace tessera::cli
