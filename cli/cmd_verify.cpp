// verify: what one run proves of all schedules of a program or an operation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/mutation_report.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/verify_report.h"
#include "devices/devices.h"
#include "interp/certificate/promises.h"

namespace tessera::cli {
namespace {

Options verify_options() {
  return {
      {"necessity", "", "prove again without each wait, and say what it is needed for"},
      {"mutants", "",
       "change each synchronising op in turn, and say which changes a proof would notice"},
      {"exhaust", "N", "runs, at most, to try all courses where counts are read; default 1000"},
      {"schedules", "N", "to run where neither one run nor all decide; default 32"},
      {"budget", "N", "events to record, at most; default 100,000,000"},
      {"races", "N", "to list, at most, of others the number; default 20"},
  };
}

// Options of the other command that mean nothing here: verify writes no results and no trace.
constexpr std::array<std::string_view, 7> not_taken = {
    "out", "check", "trace", "save-schedule", "unchecked", "no-verify", "timing"};

// The command that the first word names, else `run`, which takes a file or a kernel.
Command target_of(const std::vector<std::string>& args) {
  Command fallback;
  for (const Command& command : commands()) {
    if (command.prepare == nullptr) continue;
    if (args.size() > 1 && command.name == args[1]) return command;
    if (command.name == "run") fallback = command;
  }
  return fallback;
}

int run(const Arguments& given, Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  if (const std::string_view device = given.text("device");
      !device.empty() && device != "interpreter") {
    return fail(console, error(fmt::format("verify runs on the interpreter, not on {}", device)));
  }
  const Command target = target_of(given.given());
  // What is verified runs on the interpreter, whatever device would be the default.
  std::vector<std::string> words = given.given();
  if (!given.has("interpret") && !given.has("device")) words.push_back("--interpret");
  Options options = verify_command().resolve(words).options;
  options.push_back({"json", "", ""});
  const Expected<Arguments> arguments = parse_arguments(options, words);
  if (!arguments) return fail(console, arguments.diags());
  Diags diags;
  CertifyOptions how;
  how.budget = arguments->integer("budget", diags, 1).value_or(how.budget);
  how.schedules = arguments->integer("schedules", diags, 1).value_or(how.schedules);
  how.exhaust = arguments->integer("exhaust", diags, 0).value_or(how.exhaust);
  how.listed = static_cast<std::size_t>(
      arguments->integer("races", diags, 1).value_or(static_cast<std::int64_t>(how.listed)));
  how.necessity = arguments->has("necessity");
  if (!diags.empty()) return fail(console, diags);
  const Expected<Prepared> prepared = target.prepare(*arguments);
  if (!prepared) return fail(console, prepared.diags());
  how.run = prepared->request.options;
  // Whole landing is a promise of the machine; without it copies may land in parts.
  how.partial = !arguments->has("landing") || how.run.landing == Landing::partial;
  if (arguments->has("mutants") && how.necessity)
    return fail(console, error("--mutants and --necessity are two questions: ask one at a time"));
  if (arguments->has("mutants")) {
    const Expected<MutationTest> test = mutation_test(prepared->simulate, how);
    if (!test) return fail(console, test.diags());
    if (console.json) {
      print(console, mutation_json(*prepared, *test));
    } else {
      console.out << mutation_lines(*prepared, *test);
    }
    return 0;
  }
  Expected<Certificate> certificate = certify(prepared->simulate, how);
  if (!certificate) return fail(console, certificate.diags());
  const Expected<std::optional<Promises>> promises =
      stronger_promises(prepared->simulate, how, *certificate);
  if (!promises) return fail(console, promises.diags());
  certificate->promises = *promises;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (console.json) {
    print(console, verify_json(*arguments, *prepared, *certificate, seconds));
  } else {
    console.out << verify_lines(*arguments, *prepared, *certificate, seconds);
  }
  return exit_code(status_of(*certificate));
}

Command resolved(const std::vector<std::string>& args) {
  Command command = verify_command();
  command.options.clear();
  for (const Option& option : target_of(args).options) {
    if (std::find(not_taken.begin(), not_taken.end(), option.name) == not_taken.end())
      command.options.push_back(option);
  }
  for (const Option& option : verify_options()) command.options.push_back(option);
  return command;
}

}  // namespace

Command verify_command() {
  return {"verify",
          "FILE.tsr|KERNEL|COMMAND",
          "whether any schedule of a program can race, deadlock or leave counts",
          "  gmm-run verify my_kernel.tsr --devices 4\n"
          "  gmm-run verify gmm --group-sizes 100,150,50 --k 64 --n 32 --json\n",
          verify_options(),
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
