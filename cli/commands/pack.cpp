// pack: stores a command, the files that it reads and its report in one file.
#include "cli/pack/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/file_use.h"
#include "cli/args/limits.h"
#include "cli/command.h"
#include "cli/host.h"
#include "core/host/file.h"
#include "core/host/output_file.h"
#include "core/report/printable.h"
#include "core/report/stop.h"
#include "core/report/try.h"

namespace tessera::cli {

Command pack_command();

namespace {

// Words of the command line before the packed command: `pack FILE`.
constexpr std::ptrdiff_t own_words = 2;

// Returns the packed command with its options resolved; null if it cannot be packed.
std::optional<Command> packed_command(const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  for (const Command& command : commands())
    if (command.name == words.front() && (command.prepare != nullptr || command.name == "verify"))
      return command.resolve ? command.resolve(words) : command;
  return std::nullopt;
}

std::vector<std::string> packed_words(const std::vector<std::string>& args) {
  return {args.begin() + std::min(own_words, std::ssize(args)), args.end()};
}

Diag standard_input() { return error("pack cannot store standard input: give a file"); }

// Returns the words without personal options and options that write files, and with files named
// without their folder.
Expected<std::vector<std::string>> portable(const std::vector<std::string>& words,
                                            const ReadFiles& files) {
  const Options options = all_options(*packed_command(words));
  Invocation invocation = TRY(parse_arguments(options, words)).invocation();
  std::vector<Invocation::Option> kept;
  for (Invocation::Option given : invocation.options) {
    const Option* const option = find_option(options, given.name);
    if (is_personal(given.name) || (option != nullptr && option->file == FileUse::writes)) continue;
    if (const bool is_word = given.name.empty(); is_word || option->file == FileUse::reads) {
      std::string& value = given.value.emplace(given.value.value_or(""));
      if (value == "-" || (!is_word && value.ends_with("=-"))) return standard_input();
      const std::string file(is_word ? value : file_in(*option, value));
      // Other words are names of kernels and operations, and numbers.
      if (!is_word || files.given().contains(file))
        value = value.substr(0, value.size() - file.size()) + without_folder(file);
    }
    kept.push_back(std::move(given));
  }
  invocation.options = std::move(kept);
  return invocation.words();
}

Expected<Pack> pack_of(const std::vector<std::string>& words, const Json& report, Files& files) {
  Pack pack{TRY(portable(words, files)), {}, {}};
  if (const Json* const replay = report.find("replay_words");
      replay != nullptr && replay->is_array()) {
    std::vector<std::string> run;
    for (const Json& word : replay->elements()) run.push_back(word.text());
    pack.replay = TRY(portable(run, files));
  }
  std::map<std::string, std::string> paths;  // by name, to find two files of one name
  for (const std::string& path : std::set<std::string>(files.given())) {
    const std::string name = without_folder(path);
    if (!is_packable(name))
      return error(fmt::format(
          "pack cannot store a file of the name '{}': expected printable characters without "
          "\\<>#{{}}[], and no name of a command, kernel or pack",
          printable_line(name)));
    std::error_code failed;
    const auto [at, is_new] =
        paths.emplace(name, std::filesystem::weakly_canonical(path, failed).string());
    if (!is_new && at->second != std::filesystem::weakly_canonical(path, failed).string())
      return error(
          fmt::format("a pack names files without their folders, and there are two of "
                      "the name {}: rename one",
                      name));
    pack.files.emplace(name, TRY(read_whole(path, file_kinds::pack, &files)));
  }
  return pack;
}

int run(const Arguments& arguments, Console& console) {
  const std::string& path = arguments.given()[1];
  const std::vector<std::string> words = packed_words(arguments.given());
  if (!path.ends_with(pack_ending) || path.starts_with('-'))
    return fail(console, error(fmt::format("expected pack FILE{} COMMAND ..., found {}",
                                           pack_ending, path)));
  if (!packed_command(words))
    return fail(console, error(fmt::format("pack stores run, verify and operations, not {}",
                                           words.empty() ? "nothing" : words.front())));
  if (words.size() > 1 && words[1].ends_with(pack_ending))
    return fail(console, error(fmt::format("{} is a pack already", words[1])));
  if (std::find(words.begin(), words.end(), "--debug-on-finding") != words.end())
    return fail(console, error("--debug-on-finding changes nothing here: `debug` opens the pack"));
  if (words.size() > 1 && words[1] == "-") return fail(console, standard_input());
  arguments.read_all();
  Expected<OutputFile> output = OutputFile::create(path, arguments.files());
  if (!output) return fail(console, output.diags());
  Files files(arguments.files()->held);
  std::ostringstream object;
  Console inner{console.out, console.err, console.json, &object, console.progress};
  const Expected<Arguments> parsed = parse_arguments(all_options(*packed_command(words)), words);
  if (!parsed) return fail(console, parsed.diags());
  const int code = run(parsed->invocation().without({"max-memory"}).words(), inner,
                       {current_stop(), false, files.held, &files});
  if (std::ostream* const sink = console.object != nullptr ? console.object
                                 : console.json            ? &console.out
                                                           : nullptr)
    *sink << object.str();
  if (code >= 2) return code;
  const Json report = Json::parse(object.str());
  const Expected<Pack> pack = pack_of(words, report, files);
  if (!pack) return fail(console, pack.diags());
  const std::string text = to_json(*pack, report).lines() + "\n";
  if (static_cast<std::int64_t>(text.size()) > file_kinds::pack.largest)
    return fail(console, error(fmt::format("the pack would have {} B, and at most {} B are read",
                                           text.size(), file_kinds::pack.largest)));
  if (const auto written = output->append(text); !written) return fail(console, written.diags());
  if (const auto written = output->commit(); !written) return fail(console, written.diags());
  if (console.prints_text())
    console.out << fmt::format(
        "packed    {} with {} of {} B\n", path,
        pack->files.size() == 1 ? "1 file" : fmt::format("{} files", pack->files.size()),
        text.size());
  return 0;
}

Command resolved(const std::vector<std::string>& args) {
  Command command = pack_command();
  if (const std::optional<Command> packed = packed_command(packed_words(args))) {
    command.options = packed->options;
    command.operand = packed->operand.empty() ? "FILE.pack COMMAND" : "FILE.pack COMMAND [A] [B]";
  }
  return command;
}

}  // namespace

Command pack_command() {
  return {"pack",
          "FILE.pack COMMAND",
          "run a command and store it, the files that it reads and its report in one file",
          "  gmm-run pack case.pack verify my_kernel.tsr --devices 4\n"
          "  gmm-run pack case.pack run my_kernel.tsr --in a=a.npy --schedule random:7\n"
          "  gmm-run debug case.pack\n",
          {},
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
