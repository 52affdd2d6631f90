// A command of gmm-run: its name, its arguments, and the function that runs it.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "cli/args/options.h"
#include "cli/args/run_request.h"
#include "cli/reports/console.h"
#include "core/lang/language.h"

namespace tessera::cli {

// A program that the command line names, with its operands. It can be run repeatedly.
struct Prepared {
  RunRequest request;
  std::string kernel;  // name and settings of the kernel, for reports
  Simulate simulate;   // runs the program on the interpreter, with the given options
  // For a program from a file or by its name: its module, and a function that prepares the same run
  // with another text of the module, or fails if the text is wrong. Null and empty for an
  // operation.
  std::shared_ptr<const Module> module{};
  std::function<Expected<Simulate>(const std::string& text)> with_text{};
  // For an operation: the sides of its tile that are known before it runs; "tm" and "64".
  std::vector<std::pair<std::string, std::string>> sides{};
};

struct Command {
  std::string_view name;
  std::string_view operand;   // "FILE.tsr|KERNEL", "A [B]" if B is optional, or empty
  std::string_view summary;   // one line, for the list of commands
  std::string_view examples;  // lines of the form "gmm-run ..."; --help shows them first
  Options options;            // without --json and --help, which all commands have
  // Runs the command and prints its report or errors; returns the exit code.
  int (*run)(const Arguments& arguments, Console& console) = nullptr;
  // Prepares the program that the command runs, without running it; null if the command runs none.
  // If set, `verify` accepts the name and the options of this command.
  Expected<Prepared> (*prepare)(const Arguments& arguments) = nullptr;
  // Returns this command with the options for a command line, which begins with its name; null if
  // the options are fixed.
  Command (*resolve)(const std::vector<std::string>& args) = nullptr;
};

// Groups of commands, as listed by --help.
enum class CommandGroup : std::uint8_t { operations, programs, tools };
CommandGroup group_of(const Command& command);

// Returns the options of the command, and the options that all commands have.
Options all_options(const Command& command);
// Returns all commands, sorted by group, then by name. Each file cli/commands/NAME.cpp defines one
// command, `Command NAME_command()`; the build generates the list.
std::vector<Command> commands();

}  // namespace tessera::cli
