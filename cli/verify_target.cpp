#include "cli/verify_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "devices/devices.h"

namespace tessera::cli {
namespace {

// Options of the other command that do not apply: verify writes no results and no trace. It
// analyses parallel loops without loop workers, which it only adds itself for a witness.
constexpr std::array<std::string_view, 14> not_taken = {
    "strict-values", "out",       "check",  "trace", "timeline",     "save-schedule",
    "unchecked",     "no-verify", "timing", "cost",  "loop-workers", "debug-on-finding",
    "dump",          "prints"};

}  // namespace

Option budget_option() {
  return {"budget", "N", "end a run after N steps or recorded events; default 100,000,000"};
}

Options verify_options() {
  return {
      {"necessity", "", "omit each wait in turn and prove again, to explain its purpose"},
      {"coverage", "",
       "list everything that the sizes of this run do not exercise, and search for larger sizes "
       "that do"},
      {"mutants", "",
       "change each synchronising op and each op on values in turn, and list the changes that a "
       "proof or `equal` detects"},
      {"exhaust", "N",
       "if the program reads counts: run all its executions, in at most N runs; default 1000"},
      {"schedules", "N",
       "if neither one run nor all executions decide: run N schedules; default 32"},
      budget_option(),
      {"races", "N", "list at most N races, and count the others; default 20"},
      {"save", "FILE", "save the verdict with its evidence, for `check-certificate`", false,
       FileUse::writes},
      {"save-schedule", "FILE",
       "write the schedule that shows the finding, for --schedule replay:FILE", false,
       FileUse::writes},
      {"cases", "N|grow",
       "verify N cases: sizes, tables and numbers of devices that are not given are drawn by "
       "--seed; grow: the given sizes and larger ones, one size at a time"},
  };
}

Invocation taken_by_verify(const Invocation& invocation) {
  Invocation taken = invocation.without(
      {"schedule", "json", "expect", "rtol", "atol", "expected-in", "expected-by"});
  std::erase_if(taken.options, [](const Invocation::Option& option) {
    return std::find(not_taken.begin(), not_taken.end(), option.name) != not_taken.end();
  });
  return taken;
}

Command verified_command(const std::vector<std::string>& words) {
  Command fallback;
  for (const Command& command : commands()) {
    if (command.prepare == nullptr) continue;
    if (words.size() > 1 && command.name == words[1]) return command;
    if (command.name == "run") fallback = command;
  }
  return fallback;
}

Options verify_options(const std::vector<std::string>& words) {
  Options options;
  for (const Option& option : verified_command(words).options) {
    if (std::find(not_taken.begin(), not_taken.end(), option.name) == not_taken.end())
      options.push_back(option);
  }
  for (const Option& option : verify_options()) options.push_back(option);
  return options;
}

Expected<Arguments> verify_arguments(std::vector<std::string> words, Files* files) {
  Options options = verify_options(words);
  options.push_back({"json", "", ""});
  Expected<Arguments> arguments = parse_arguments(options, words, files);
  if (!arguments) return arguments;
  if (const std::string_view device = arguments->text("device");
      !device.empty() && device != simulated_device().name())
    return error(fmt::format("verify runs on the interpreter, not on {}", device));
  if (arguments->has("interpret") || arguments->has("device")) return arguments;
  // Programs are verified on the interpreter, whatever the default device is.
  words.push_back("--interpret");
  return parse_arguments(options, words, files);
}

Expected<VerifyTarget> verify_target(const Arguments& arguments) {
  Diags diags;
  CertifyOptions how;
  how.budget = arguments.integer("budget", diags, 1).value_or(how.budget);
  how.schedules = arguments.integer("schedules", diags, 1).value_or(how.schedules);
  how.exhaust = arguments.integer("exhaust", diags, 0).value_or(how.exhaust);
  how.listed = static_cast<std::size_t>(
      arguments.integer("races", diags, 1).value_or(static_cast<std::int64_t>(how.listed)));
  how.necessity = arguments.has("necessity");
  if (!diags.empty()) return diags;
  Expected<Prepared> prepared = verified_command(arguments.given()).prepare(arguments);
  if (!prepared) return prepared.diags();
  how.run = prepared->request.options;
  how.granularity = prepared->request.certified_granularity;
  return VerifyTarget{arguments, *std::move(prepared), how};
}

Expected<VerifyTarget> verify_target(std::vector<std::string> words, Files* files) {
  const Expected<Arguments> arguments = verify_arguments(std::move(words), files);
  if (!arguments) return arguments.diags();
  return verify_target(*arguments);
}

}  // namespace tessera::cli
