// pack: stores a command, the files that it reads and its report in one file.
#include "cli/pack/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
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

// Returns the words without options that write files, and with files named without their folder.
Expected<std::vector<std::string>> portable(const std::vector<std::string>& words,
                                            const ReadFiles& files) {
  const std::optional<Command> command = packed_command(words);
  const Options options = all_options(*command);
  Invocation invocation = TRY(parse_arguments(options, words)).invocation().without({"json"});
  std::erase_if(invocation.options, [&](Invocation::Option& given) {
    if (given.name.empty()) {
      if (files.given().contains(*given.value)) given.value = base_name(*given.value);
      return false;
    }
    const Option& option = *std::find_if(options.begin(), options.end(),
                                         [&](const Option& row) { return row.name == given.name; });
    if (option.file == FileUse::reads && given.value) {
      const std::string_view file = file_in(option, *given.value);
      given.value =
          given.value->substr(0, given.value->size() - file.size()) + std::string(base_name(file));
    }
    return option.file == FileUse::writes;
  });
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
  for (const std::string& path : std::set<std::string>(files.given())) {
    const std::string name(base_name(path));
    const auto [at, is_new] =
        pack.files.emplace(name, TRY(read_whole(path, file_kinds::pack, &files)));
    if (!is_new)
      return error(
          fmt::format("a pack names files without their folders, and there are two of "
                      "the name {}: rename one",
                      name));
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
  if (std::find(words.begin(), words.end(), "-") != words.end())
    return fail(console, error("pack cannot store standard input: give a file"));
  arguments.read_all();
  Expected<OutputFile> output = OutputFile::create(path, arguments.files());
  if (!output) return fail(console, output.diags());
  Files files(arguments.files()->held);
  std::ostringstream object;
  Console inner{console.out, console.err, console.json, &object, console.progress};
  const int code = run(words, inner, {current_stop(), false, files.held, &files});
  if (code >= 2) return code;
  const Json report = Json::parse(object.str());
  const Expected<Pack> pack = pack_of(words, report, files);
  if (!pack) return fail(console, pack.diags());
  const std::string text = to_json(*pack, report).lines() + "\n";
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
