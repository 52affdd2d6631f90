// debug: inspects a run step by step, forward and backward.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/debug/compare_runs.h"
#include "cli/debug/debug_on_finding.h"
#include "cli/debug/debug_target.h"
#include "cli/reports/report.h"
#include "core/host/file.h"
#include "core/report/try.h"
#include "debugger/commands/debugger.h"
#include "debugger/commands/line_reader.h"
#include "text/numbers.h"

namespace tessera::cli {

Command debug_command();

namespace {

using debugger::Debugger;
using debugger::LineReader;
using debugger::standard_input;

std::string_view batch_option(const Options& of_target) {
  return own_name(of_target, "batch", "debug-batch");
}

Options debug_options(const Options& of_target) {
  return {
      {"script", "FILE",
       "debugger commands, one per line, to run before standard input; also -x FILE", true,
       FileUse::reads},
      {"commands", "'A; B'", "debugger commands to run after --script", true},
      {batch_option(of_target), "",
       "exit after the commands of the command line; exit code 1: they reached a finding, 3: a "
       "limit ended the run"},
  };
}

Options debug_options(const std::vector<std::string>& words) {
  Options options = target_options(words);
  for (const Option& option : debug_options(options)) options.push_back(option);
  return options;
}

// Status of a batch: a finding reached by its commands, else the limit or signal that ended the
// run.
Status status_of_batch(const Debugger& debugger) {
  return debugger.has_met_finding() ? Status::finding : status_of(debugger.was_cut_by());
}

Expected<std::vector<std::string>> given_lines(const Arguments& arguments) {
  std::vector<std::string> lines;
  for (const std::string& path : arguments.all("script")) {
    const std::string text = TRY(read_whole(
        path, FileKind{"a script of the debugger", std::int64_t{1} << 20}, arguments.files()));
    for (std::string& line : split(text, '\n')) lines.push_back(std::move(line));
  }
  for (const std::string& text : arguments.all("commands"))
    for (std::string& line : split(text, ';')) lines.push_back(std::move(line));
  return lines;
}

// Executes commands from scripts and from --commands, and prints each with its output as JSON. The
// first command that fails ends the batch.
int run_in_json(Session& session, const Invocation& invocation, Files* files,
                const std::vector<std::string>& lines, Console& console) {
  Json told = Json::array();
  std::ostringstream out;
  Debugger debugger(session, out, invocation, compare_with(invocation, files), files);
  if (const auto told = debugger.tell_printed(); !told) return fail(console, told.diags());
  for (const std::string& line : lines) {
    if (debugger.wants_to_quit()) break;
    if (const auto done = debugger.execute(line); !done) return fail(console, done.diags());
    told.push_back({{"command", line}, {"output", out.str()}});
    out.str({});
  }
  print(console, {{"status", name(status_of_batch(debugger))},
                  {"event", session.position()},
                  {"over", session.is_over()},
                  {"commands", std::move(told)}});
  return exit_code(status_of_batch(debugger));
}

void talk(Debugger& debugger, Console& console) {
  const std::unique_ptr<LineReader> input = standard_input();
  std::string last;
  while (!debugger.wants_to_quit()) {
    std::optional<std::string> line = input->next();
    if (!line) return;
    // At a terminal, an empty line repeats the last command.
    if (input->is_terminal() && line->find_first_not_of(' ') == std::string::npos) line = last;
    last = *line;
    if (const auto done = debugger.execute(*line); !done) console.out << render(done.diags());
    console.out << std::flush;
  }
}

int run(const Arguments& given, Console& console) {
  Files* const files = given.files();
  Expected<Arguments> arguments =
      debug_arguments(given.given(), debug_options(given.given()), files);
  if (!arguments) return fail(console, arguments.diags());
  arguments->read_along(given);
  const auto lines = given_lines(*arguments);
  if (!lines) return fail(console, lines.diags());
  const std::string_view batch = batch_option(target_options(given.given()));
  const bool is_batch = arguments->has(batch) || console.json;
  const auto session = debug_session(*arguments);
  if (!session) return fail(console, session.diags());
  if (const Diags unread = arguments->unread(); !unread.empty()) return fail(console, unread);
  const Invocation invocation = arguments->invocation().without({"script", "commands", batch});
  if (console.json)
    return run_in_json(**session, invocation.without({"json"}), files, *lines, console);
  Debugger debugger(**session, console.out, invocation, compare_with(invocation, files), files);
  if (const auto told = debugger.tell_printed(); !told) return fail(console, told.diags());
  debugger.show_place();
  for (const std::string& line : *lines) {
    if (debugger.wants_to_quit()) break;
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] == '#') continue;
    console.out << fmt::format("> {}\n", line.substr(begin));
    if (const auto done = debugger.execute(line); !done) return fail(console, done.diags());
  }
  if (is_batch) return exit_code(status_of_batch(debugger));
  talk(debugger, console);
  return exit_code(Status::ok);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = debug_command();
  command.options = debug_options(args);
  return command;
}

// Converts the command line of a run to one of `debug`, without the options that `debug` does not
// accept.
Invocation as_debug(Invocation invocation) {
  const Options taken = target_options(invocation.words());
  invocation.command = "debug";
  std::erase_if(invocation.options, [&](const Invocation::Option& given) {
    return !given.name.empty() && find_option(taken, given.name) == nullptr;
  });
  return invocation;
}

}  // namespace

int debug_on_finding(const Arguments& of_run, const std::vector<Finding>& findings,
                     Console& console) {
  const Invocation invocation = as_debug(of_run.invocation());
  const std::vector<std::string> words = invocation.words();
  Files* const files = of_run.files();
  const Expected<Arguments> arguments = debug_arguments(words, debug_options(words), files);
  if (!arguments) return fail(console, arguments.diags());
  const auto session = debug_session(*arguments);
  if (!session) return fail(console, session.diags());
  Debugger debugger(**session, console.out, invocation, compare_with(invocation, files), files);
  if (const auto there = debugger.go_to_finding(findings); !there)
    return fail(console, there.diags());
  talk(debugger, console);
  return exit_code(Status::finding);
}

Command debug_command() {
  return {"debug",
          "FILE.tsr|KERNEL|COMMAND",
          "step through a run, forward and backward: places, memory, counts, copies in flight",
          "  gmm-run debug my_kernel.tsr --devices 4\n"
          "  gmm-run debug gmm --group-sizes 100,150,50 --k 64 --n 32 --commands 'step 3; info' "
          "--batch\n"
          "  gmm-run debug my_kernel.tsr -x commands.txt --batch\n",
          debug_options(Options{}),
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
