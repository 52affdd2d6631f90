#include "cli/pack/open_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "cli/args/file_use.h"
#include "cli/command.h"
#include "core/host/file.h"
#include "core/report/try.h"
#include "kernels/programs/kernels.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 6> openers = {"run", "verify", "debug",
                                                     "dap", "why",    "graph"};

// Options of `run` and of operations that other commands with their options reject.
bool is_of_run(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"expect",  "rtol",        "atol",
                                                     "explain", "expected-in", "expected-by"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Command* find_command(std::string_view name) {
  static const std::vector<Command> known = commands();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Command& c) { return c.name == name; });
  return found == known.end() ? nullptr : &*found;
}

bool is_operation(std::string_view name) {
  const Command* const command = find_command(name);
  return command != nullptr && command->prepare != nullptr && name != "run";
}

Options options_for(const std::vector<std::string>& words) {
  const Command& command = *find_command(words.front());
  return all_options(command.resolve ? command.resolve(words) : command);
}

// Parses a command of the pack and checks its words and options.
class PackedCommand {
 public:
  PackedCommand(const Pack& pack, std::string_view path) : pack_(pack), path_(path) {}

  Expected<Invocation> read(const std::vector<std::string>& words) const {
    const std::string& name = words.front();
    if (name != "run" && name != "verify" && !is_operation(name))
      return fail("expected run, verify or an operation in a pack, found {}", name);
    const Options options = options_for(words);
    Invocation invocation = TRY(parse_arguments(options, words)).invocation();
    for (const Invocation::Option& given : invocation.options)
      TRY(given.name.empty() ? check_word(given.value.value_or(""))
                             : check_option(*find_option(options, given.name), given));
    return invocation;
  }

 private:
  template <typename... Values>
  Diag fail(fmt::format_string<Values...> what, Values&&... values) const {
    return error(fmt::format("{}: {}", path_, fmt::format(what, std::forward<Values>(values)...)));
  }
  Expected<void> check_word(const std::string& word) const {
    if (pack_.files.contains(word) || is_operation(word) || find_kernel(word) != nullptr) return {};
    return fail("the packed command reads {}, which is not in the pack", word);
  }
  // Files that the command reads are checked when it opens them (ReadFiles::accepts).
  Expected<void> check_option(const Option& option, const Invocation::Option& given) const {
    const std::string value = given.value.value_or("");
    if (option.file == FileUse::writes)
      return fail("the packed command has --{}, which writes a file", given.name);
    if (option.file == FileUse::reads && (value == "-" || value.ends_with("=-")))
      return fail("--{} of the packed command reads standard input", given.name);
    return {};
  }

  const Pack& pack_;
  std::string_view path_;
};

// Converts a packed command to one of `opener`: "verify gmm ..." and "run FILE ..." to "gmm ...",
// "debug gmm ..." or "debug FILE ...".
Invocation for_opener(Invocation packed, const std::string& opener) {
  if (packed.command == "verify") {
    packed.command = "run";
    if (!packed.options.empty() && packed.options.front().name.empty() &&
        is_operation(packed.options.front().value.value_or(""))) {
      packed.command = *packed.options.front().value;
      packed.options.erase(packed.options.begin());
    }
  }
  if (opener == "run") return packed;
  if (packed.command != "run") return packed.under(opener);
  packed.command = opener;
  return packed;
}

// Key of an option; a later option with the same key replaces it. The key is the name, and for
// repeatable options such as --set n=8 also the part before `=`.
std::string key_of(const Option& option, const Invocation::Option& given) {
  if (given.name == "interpret") return "device";
  if (given.name == "group-sizes") return "sizes";
  const std::string value = given.value.value_or("");
  return option.repeatable ? given.name + ' ' + value.substr(0, value.find('=')) : given.name;
}

// True if a later option replaces this one: `--in a=x` replaces also `--in a@0=y`.
bool is_replaced(const std::set<std::string>& keys, const std::string& key) {
  return keys.contains(key) || keys.contains(key.substr(0, key.find('@')));
}

// True if the path is the pattern with numbers in place of {d} and {r}.
bool fits(std::string_view path, std::string_view pattern) {
  for (; !pattern.empty(); pattern.remove_prefix(1), path.remove_prefix(1)) {
    if (pattern.starts_with("{d}") || pattern.starts_with("{r}")) {
      const std::size_t digits = std::min(path.find_first_not_of("0123456789"), path.size());
      if (digits == 0) return false;
      path.remove_prefix(digits - 1);
      pattern.remove_prefix(2);
    } else if (path.empty() || path.front() != pattern.front()) {
      return false;
    }
  }
  return path.empty();
}

// Returns the files that these options read, as patterns for fits().
std::vector<std::string> files_in(const Options& options, const Invocation& invocation) {
  std::vector<std::string> files;
  for (const Invocation::Option& given : invocation.options) {
    const Option* const option = find_option(options, given.name);
    if (given.name.empty() || option->file != FileUse::reads) continue;
    std::string file(file_in(*option, given.value.value_or("")));
    const std::size_t tensor = file.find(".safetensors#");
    files.push_back(tensor == file.npos ? file : file.substr(0, file.find('#', tensor)));
  }
  return files;
}

}  // namespace

bool names_pack(const std::vector<std::string>& args) {
  return args.size() > 1 && args[0] != "pack" && args[1].ends_with(pack_ending) &&
         !args[1].starts_with('-');
}

Expected<std::vector<std::string>> open_pack(const std::vector<std::string>& args,
                                             ReadFiles& files) {
  const std::string &opener = args[0], &path = args[1];
  if (std::find(openers.begin(), openers.end(), opener) == openers.end())
    return error(
        fmt::format("{} is opened by {}, not by {}", path, fmt::join(openers, ", "), opener));
  Pack pack = TRY(parse_pack(TRY(read_whole(path, file_kinds::pack, &files)), path));
  const bool replays = opener != "verify" && !pack.replay.empty();
  Invocation invocation =
      for_opener(TRY(PackedCommand(pack, path).read(replays ? pack.replay : pack.command)), opener);
  const Options options = options_for(invocation.words());
  std::vector<std::string> more = {opener};
  more.insert(more.end(), args.begin() + 2, args.end());
  const Invocation own = TRY(parse_arguments(options, more)).invocation();
  std::set<std::string> replaced;
  for (const Invocation::Option& given : own.options)
    if (!given.name.empty()) replaced.insert(key_of(*find_option(options, given.name), given));
  std::erase_if(invocation.options, [&](const Invocation::Option& given) {
    if (given.name.empty()) return false;
    const Option* const option = find_option(options, given.name);
    return option == nullptr || is_personal(given.name) ||
           (opener != "run" && is_of_run(given.name)) ||
           is_replaced(replaced, key_of(*option, given));
  });
  // The pack stands for its program, so that reports print commands that can be repeated.
  for (Invocation::Option& given : invocation.options)
    if (const auto at = pack.files.find(given.value.value_or(""));
        given.name.empty() && at != pack.files.end()) {
      files.shown_names.emplace(path, at->first);
      pack.files.emplace(path, at->second);
      given.value = path;
      break;
    }
  const std::vector<std::string> own_files = files_in(options, own);
  for (const std::string& file : own_files)
    if (pack.files.contains(file))
      return error(fmt::format("{} is also a file of the pack: write ./{} for yours", file, file));
  files.contents = std::move(pack.files);
  files.accepts = [accepted = own_files](const std::string& opened) {
    return std::any_of(accepted.begin(), accepted.end(),
                       [&](const std::string& pattern) { return fits(opened, pattern); });
  };
  std::vector<std::string> words = invocation.words();
  for (const std::string& word : words)
    if (word == "--help" || word == "-h")
      return error(fmt::format("{}: expected no {} in a packed command", path, word));
  words.insert(words.end(), more.begin() + 1, more.end());
  return words;
}

}  // namespace tessera::cli
