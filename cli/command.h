// A command of gmm-run: what it is called, what it takes, and the function that runs it.
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

// A program that the command line names, with its operands, ready to be run again and again.
struct Prepared {
  RunRequest request;
  std::string kernel;  // its name and settings, for reports
  Simulate simulate;   // on the interpreter, under these options
  // Of a program of a file or by its name: its text, and the same with another text.
  std::shared_ptr<const Module> module{};
  std::function<Expected<Simulate>(const std::string& text)> with_text{};
  // Of an operation: the sides of its tile, as far as they are known before it runs; "tm" and "64".
  std::vector<std::pair<std::string, std::string>> sides{};
};

struct Command {
  std::string_view name;
  std::string_view operand;   // "FILE.tsr", "FILE.tsr|KERNEL" or empty; the one word it takes
  std::string_view summary;   // one line, for the list of commands
  std::string_view examples;  // lines of the form "gmm-run ..."; the first thing --help shows
  Options options;            // --json and --help are added to every command's
  int (*run)(const Arguments& arguments, Console& console) = nullptr;
  // Of a command that runs a program: `verify` takes its name and options.
  Expected<Prepared> (*prepare)(const Arguments& arguments) = nullptr;
  // Of a command whose options depend on what follows its name: itself with these options.
  Command (*resolve)(const std::vector<std::string>& args) = nullptr;
};

// What a command works on, by which --help lists them.
enum class CommandGroup : std::uint8_t { operations, programs, tools };
CommandGroup group_of(const Command& command);

// Its own and those that every command has.
Options all_options(const Command& command);
// Group by group, by name. Each file cli/commands/NAME.cpp defines one, `Command NAME_command()`,
// and the build makes the list of them.
std::vector<Command> commands();

}  // namespace tessera::cli
