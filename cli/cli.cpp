#include "cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "cli/args/file_use.h"
#include "cli/args/limits.h"
#include "cli/command.h"
#include "cli/host.h"
#include "cli/pack/open_pack.h"
#include "cli/reports/printable_stream.h"
#include "cli/reports/progress.h"
#include "core/host/host_memory.h"
#include "core/report/guarded.h"
#include "core/report/near.h"
#include "devices/devices.h"
#include "devices/teams.h"
#include "text/numbers.h"

namespace tessera::cli {

// The commands of cli/commands; the build generates this function.
std::vector<Command> all_commands();

CommandGroup group_of(const Command& command) {
  if (command.operand.find("FILE.tsr") != std::string_view::npos) return CommandGroup::programs;
  return command.prepare != nullptr ? CommandGroup::operations : CommandGroup::tools;
}

std::vector<Command> commands() {
  std::vector<Command> all = all_commands();
  std::sort(all.begin(), all.end(), [](const Command& a, const Command& b) {
    return std::pair(group_of(a), a.name) < std::pair(group_of(b), b.name);
  });
  return all;
}

Options all_options(const Command& command) {
  Options options = command.options;
  options.push_back({"json", "", "print one JSON object on standard output, and nothing else"});
  options.push_back({"help", "", "show this help"});
  return options;
}

namespace {

constexpr std::string_view examples =
    "  gmm-run gmm --group-sizes 100,150,50 --k 64 --n 32 --interpret\n"
    "  gmm-run tgmm --group-sizes 100,150,50 --k 64 --n 32 --interpret\n"
    "  gmm-run ag-matmul --devices 8 --m 512 --k 1024 --n 256 --interpret\n"
    "  gmm-run run my_kernel.tsr --set m=300 --schedule random:1\n"
    "  gmm-run fuzz --minutes 1\n";

void print_help(std::ostream& out) {
  constexpr std::array<std::string_view, 3> headings = {"operations", "programs", "tools"};
  out << "examples\n" << examples;
  std::string_view heading;
  for (const Command& command : commands()) {
    const std::string_view now = headings[static_cast<std::size_t>(group_of(command))];
    if (now != heading) out << fmt::format("\n{}\n", now);
    heading = now;
    out << fmt::format("  {:19}{}\n", command.name, command.summary);
  }
  out << "\ngmm-run help COMMAND, or COMMAND --help, shows its options, gmm-run --version the "
         "version\n"
         "exit code: 0 fine, 1 a finding or mismatch, 2 bad input or unsupported, 3 the "
         "environment, 4 not shown equal\n";
}

void print_help(std::ostream& out, const Command& command) {
  out << "examples\n";
  out << command.examples;
  out << fmt::format("\ngmm-run {}{}{} [options]\n{}\n\noptions\n", command.name,
                     command.operand.empty() ? "" : " ", command.operand, command.summary);
  out << describe(all_options(command));
}

Diag unknown_command(std::string_view word, const std::vector<Command>& known) {
  std::vector<std::string_view> names;
  for (const Command& command : known) names.push_back(command.name);
  Diag diag = error(fmt::format("there is no command '{}'{}", word, did_you_mean(word, names)));
  diag.notes.push_back({{}, fmt::format("the commands are {}", fmt::join(names, ", "))});
  return diag;
}

bool asks_for_help(const std::vector<std::string>& args) {
  return std::any_of(args.begin(), args.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

// The device for the command; null if the command has no --device or names an unknown device.
const Device* device_of(const Command& command, const Arguments& arguments) {
  if (find_option(command.options, "device") == nullptr) return nullptr;
  if (arguments.was_given("interpret")) return &simulated_device();
  const std::vector<std::string>& named = arguments.glance("device");
  if (named.empty()) return &default_device();
  const Expected<const Device*> device = find_device(named.back());
  return device ? *device : nullptr;
}

// True if the command runs on a GPU. Its memory is then not capped by default, because the driver
// maps memory as needed.
bool is_on_gpu(const Command& command, const Arguments& arguments) {
  const Device* const device = device_of(command, arguments);
  return device != nullptr && device->supports_launch();
}

// Caps the memory of the process. If the process belongs to another program, it is not capped, and
// --max-memory fails with ErrorCode::unsupported.
Expected<void> cap_memory(const Command& command, const Arguments& arguments, const Host& host,
                          std::optional<MemoryCap>& cap) {
  if (!host.owns_process) {
    if (!arguments.has("max-memory")) return {};
    return error(ErrorCode::unsupported,
                 "--max-memory limits a process, and this process belongs to the caller");
  }
  Diags diags;
  const MemoryBudget memory = memory_budget(arguments, diags);
  if (!diags.empty()) return diags;
  if (arguments.has("max-memory") || !is_on_gpu(command, arguments))
    cap.emplace(memory.bytes, memory.by);
  return {};
}

// Reports exceptions as errors: a failed allocation, and a signal before the command has a result.
int run_bounded(const Command& command, const Arguments& arguments, Console& console,
                const Host& host) try {
  const Progress progress(console);
  std::optional<MemoryCap> cap;
  if (const Expected<void> capped = cap_memory(command, arguments, host, cap); !capped)
    return fail(console, capped.diags());
  try {
    return command.run(arguments, console);
  } catch (...) {
    return fail(console, given_up(fmt::format("running {}", command.name)));
  }
} catch (...) {
  return fail(console, given_up(fmt::format("beginning {}", command.name)));
}

int run_whole(const Command& command, const Arguments& arguments, Console& console,
              const Host& host) {
  arguments.has("json");  // marks --json as used: `console` implements it
  const StopScope listens(host.stop);
  const int code = run_bounded(command, arguments, console, host);
  // Long-running commands check for unused options earlier; this check covers all commands.
  if (const Diags unread = arguments.unread(); code < 2 && !unread.empty())
    return fail(console, unread);
  return code;
}

// Runs the command in a process that does not report. It writes no files, and sends its messages
// to the reporting process.
int run_part(Team& team, const Command& command, const Arguments& arguments, const Host& host) {
  std::ostringstream out, err;
  Console silent{out, err};
  const std::vector<std::string> words = arguments.invocation().without({"out", "json"}).words();
  const Expected<Arguments> part = parse_arguments(all_options(command), words, arguments.files());
  const int code = part ? run_whole(command, *part, silent, host) : fail(silent, part.diags());
  team.end(code, err.str());
  return 0;
}

int run_in_team(Team& team, const Command& command, const Arguments& arguments, Console& console,
                const Host& host) {
  if (team.rank() > 0) return run_part(team, command, arguments, host);
  const int code = run_whole(command, arguments, console, host);
  const std::string others = team.end(code, {});
  return others.empty() ? code : fail(console, error(ErrorCode::environment, others));
}

// Adds a note on --set if an unknown option `--m 64` may be meant as parameter m of the kernel.
// Options of `run` get no note.
void add_meant_parameter(const Command& command, const std::vector<std::string>& args, Diag& diag) {
  if (find_option(command.options, "set") == nullptr) return;
  const std::vector<Command> known = commands();
  const Options known_options = all_options(command);
  for (const std::string& word : args) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2, word.find('=') - 2);
    if (name.empty() || find_option(known_options, name) != nullptr ||
        std::any_of(known.begin(), known.end(), [&](const Command& other) {
          return other.name == "run" && find_option(other.options, name) != nullptr;
        }))
      continue;
    diag.notes.push_back(
        {{}, fmt::format("a parameter `{0}` of the kernel is given as --set {0}=...", name)});
    return;
  }
}

int run_command(const Command& command, const std::vector<std::string>& args, Console& console,
                const Host& host) {
  if (asks_for_help(args)) {
    print_help(console.out, command);
    return 0;
  }
  Files own(host.held);
  Files& files = host.files != nullptr ? *host.files : own;
  Expected<Arguments> arguments = parse_arguments(all_options(command), args, &files);
  if (!arguments) {
    Diags diags = arguments.diags();
    add_meant_parameter(command, args, diags.back());
    diags.back().notes.push_back(
        {{}, fmt::format("gmm-run {} --help lists its options", command.name)});
    return fail(console, diags);
  }
  const std::vector<std::string> operands = split(command.operand, ' ');
  const auto allowed = command.operand.empty() ? 0 : operands.size();
  const auto needed = static_cast<std::size_t>(std::count_if(
      operands.begin(), operands.end(),
      [](const std::string& operand) { return !operand.empty() && !operand.starts_with('['); }));
  if (arguments->words().size() > allowed) {
    const std::string& word = arguments->words()[allowed];
    for (const std::string& set : arguments->glance("set"))
      if (set.find('=') == std::string::npos)
        return fail(console,
                    error(fmt::format("expected --set {0}={1}, found --set {0} {1}", set, word)));
    return fail(console, error(fmt::format("unexpected argument '{}' for {}", word, command.name)));
  }
  if (arguments->words().size() < needed) {
    return fail(console, error(fmt::format("{} needs {}", command.name, command.operand)));
  }
  if (const Expected<void> checked = check_files(command.options, command.operand, *arguments);
      !checked)
    return fail(console, checked.diags());
  if (const Device* const device = device_of(command, *arguments);
      device != nullptr && device->available().ok) {
    const Expected<Team*> team = team_of(*device);
    if (!team) return fail(console, team.diags());
    if (*team != nullptr) return run_in_team(**team, command, *arguments, console, host);
  }
  return run_whole(command, *arguments, console, host);
}

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  Console console{out, err, std::find(args.begin(), args.end(), "--json") != args.end()};
  return run(args, console, {interruption(), true});
}

namespace {

int run_named(const std::vector<std::string>& args, Console& console, const Host& host) {
  static const std::vector<Command> known = commands();
  const auto command = std::find_if(known.begin(), known.end(), [&](const Command& candidate) {
    return candidate.name == args.front();
  });
  if (command == known.end()) return fail(console, unknown_command(args.front(), known));
  return run_command(command->resolve ? command->resolve(args) : *command, args, console, host);
}

int run_opened(const std::vector<std::string>& args, Console& console, const Host& host) {
  Files files(host.held);
  const auto words = [&]() -> Expected<std::vector<std::string>> {
    try {
      return open_pack(args, files);
    } catch (...) {
      return given_up("opening a pack");
    }
  }();
  if (!words) return fail(console, words.diags());
  return run_named(*words, console, {host.stop, host.owns_process, host.held, &files});
}

}  // namespace

int run(const std::vector<std::string>& args, Console& console, const Host& host) {
  const PrintableStream out(console.out), err(console.err);
  if (args.empty()) {
    print_help(console.err);
    return 2;
  }
  if (args.front() == "help" && args.size() == 2 && !args[1].starts_with('-'))
    return run({args[1], "--help"}, console, host);
  if (args.front() == "help" || asks_for_help({args.front()})) {
    print_help(console.out);
    return 0;
  }
  if (args.front() == "--version" || args.front() == "-V") {
    console.out << "tessera " TESSERA_VERSION "\n";
    return 0;
  }
  return names_pack(args) ? run_opened(args, console, host) : run_named(args, console, host);
}

bool takes_file(std::string_view command) {
  const std::vector<Command> known = commands();
  return std::any_of(known.begin(), known.end(), [&](const Command& candidate) {
    return candidate.name == command && candidate.operand.starts_with("FILE");
  });
}

}  // namespace tessera::cli
