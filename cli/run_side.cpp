#include "cli/run_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/verify_target.h"
#include "core/report/try.h"
#include "interp/launch.h"

namespace tessera::cli {
namespace {

// The words of a quoted command, which contains no further quotes. The name of an existing file is
// one word.
std::vector<std::string> words_of(const std::string& quoted) {
  if (std::filesystem::exists(quoted)) return {"run", quoted};
  std::istringstream in(quoted);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (!words.empty() && words.front() == "gmm-run") words.erase(words.begin());
  words.insert(words.begin(), "run");
  return words;
}

Options options_of(const std::vector<std::string>& words, OptionNames not_taken) {
  Options options;
  for (const Option& option : verified_command(words).options)
    if (std::find(not_taken.begin(), not_taken.end(), option.name) == not_taken.end())
      options.push_back(option);
  return options;
}

// said: name of the run in reports and messages.
Expected<RunSide> run_side(std::vector<std::string> words, const std::string& said,
                           OptionNames not_taken, Files* files) {
  Options options = options_of(words, not_taken);
  options.push_back({"interpret", "", ""});
  words.push_back("--interpret");
  const Arguments given = TRY(parse_arguments(options, words, files));
  if (given.words().size() != 1) return error(fmt::format("'{}' names no program", said));
  Prepared prepared = TRY(verified_command(words).prepare(given));
  std::optional<KeptRun> launch = TRY(launch_of(prepared.simulate, prepared.request.options));
  if (const Diags unread = given.unread(); !unread.empty()) return unread;
  if (!launch)
    return error(ErrorCode::unsupported,
                 fmt::format("'{}' runs nothing that can be compared", said));
  return RunSide{fmt::format("{} ({})", said, prepared.kernel), *std::move(launch), given,
                 std::string(verified_command(words).name)};
}

}  // namespace

Options run_side_options(const std::vector<std::string>& words, OptionNames not_taken) {
  Options all = options_of({"run"}, not_taken);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("-")) continue;
    for (const Option& option : options_of(words_of(words[i]), not_taken))
      if (find_option(all, option.name) == nullptr) all.push_back(option);
  }
  return all;
}

Expected<RunSide> run_side(const std::string& word, const Arguments& arguments,
                           OptionNames not_taken) {
  std::vector<std::string> words = words_of(word);
  const Options options = options_of(words, not_taken);
  for (const Invocation::Option& option : arguments.invocation().options) {
    if (option.name.empty() || find_option(options, option.name) == nullptr) continue;
    words.push_back("--" + option.name);
    if (option.value) words.push_back(*option.value);
  }
  RunSide side = TRY(run_side(std::move(words), word, not_taken, arguments.files()));
  arguments.read_as(side.given);
  return side;
}

Expected<RunSide> run_side(std::vector<std::string> words, OptionNames not_taken, Files* files) {
  const std::vector<std::string> said(words.begin() + 1, words.end());
  return run_side(std::move(words), shell_line(said), not_taken, files);
}

}  // namespace tessera::cli
