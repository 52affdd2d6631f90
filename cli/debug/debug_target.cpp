#include "cli/debug/debug_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/verify_target.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "interp/launch.h"

namespace tessera::cli {
namespace {

// Options of the target command that have no effect here: a session writes no results and no files
// about the whole run, and checks nothing except the run itself.
constexpr std::array<std::string_view, 17> not_for_debug = {
    "out",  "check",         "trace", "save-schedule",    "unchecked", "no-verify", "timing",
    "cost", "timeline",      "all",   "debug-on-finding", "expect",    "rtol",      "atol",
    "dump", "strict-values", "prints"};

}  // namespace

Options target_options(const std::vector<std::string>& words) {
  Options options;
  for (const Option& option : verified_command(words).options)
    if (std::find(not_for_debug.begin(), not_for_debug.end(), option.name) == not_for_debug.end())
      options.push_back(option);
  return options;
}

std::string_view own_name(const Options& of_target, std::string_view name,
                          std::string_view otherwise) {
  return find_option(of_target, name) != nullptr ? otherwise : name;
}

Expected<Arguments> debug_arguments(std::vector<std::string> words, Options options, Files* files) {
  options.push_back({"json", "", ""});
  const Arguments given = TRY(parse_arguments(options, words, files));
  if (const std::string_view device = given.text("device");
      !device.empty() && device != simulated_device().name())
    return error(fmt::format("{} runs on the {}, not on {}", words.front(),
                             simulated_device().name(), device));
  if (!given.has("interpret") && !given.has("device")) words.push_back("--interpret");
  return parse_arguments(options, words, files);
}

Expected<std::unique_ptr<Session>> debug_session(const Arguments& arguments) {
  const Prepared prepared = TRY(verified_command(arguments.given()).prepare(arguments));
  std::optional<KeptRun> launch = TRY(launch_of(prepared.simulate, prepared.request.options));
  if (!launch)
    return error(ErrorCode::unsupported, "this operation runs nothing that can be debugged");
  return Session::open(*std::move(launch));
}

}  // namespace tessera::cli
