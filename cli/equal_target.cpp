#include "cli/equal_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/verify_target.h"
#include "core/lang/language.h"
#include "core/report/try.h"
#include "interp/rerun.h"
#include "kernels/definitions/definitions.h"

namespace tessera::cli {
namespace {

// Options of the other command that say nothing of what is computed, or have no meaning over a
// field.
constexpr std::array<std::string_view, 24> not_taken = {
    "out",       "check",     "trace",     "timeline",    "save-schedule", "unchecked",
    "timing",    "cost",      "expect",    "rtol",        "atol",          "strict-values",
    "no-math",   "no-verify", "all",       "point-cores", "landing",       "math",
    "max-steps", "explain",   "interpret", "fill",        "device",    "dump"};

// The words of a quoted command; there are no quotes within. The name of a file is one word.
std::vector<std::string> words_of(const std::string& quoted) {
  if (std::filesystem::exists(quoted)) return {"equal", quoted};
  std::istringstream in(quoted);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (!words.empty() && words.front() == "gmm-run") words.erase(words.begin());
  words.insert(words.begin(), "equal");
  return words;
}

bool has(const Options& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name; });
}

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (const Option& option : verified_command(words).options)
    if (std::find(not_taken.begin(), not_taken.end(), option.name) == not_taken.end())
      options.push_back(option);
  return options;
}

// Floats are drawn: of an operand of floats no values can be given.
Expected<void> check_floats(const Program& program, const Arguments& given) {
  for (const Invocation::Option& option : given.invocation().options) {
    const bool is_run = option.name == "in" && option.value;
    const std::string name =
        is_run ? option.value->substr(0, option.value->find_first_of("=@")) : option.name;
    const Buffer* const operand = program.find_buffer(name);
    if (operand == nullptr || operand->role != Role::in || is_integer(operand->dtype)) continue;
    return error(
        fmt::format("--{}: the values of `{}` are drawn, expected those of operands of "
                    "integers alone",
                    is_run ? "in " + *option.value : option.name, name));
  }
  return {};
}

}  // namespace

Options equal_options(const std::vector<std::string>& words) {
  Options all = options_of({"equal"});
  all.push_back({"definition", "", "B is what the kernel of A is by definition, on one device"});
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("-")) continue;
    for (const Option& option : options_of(words_of(words[i])))
      if (!has(all, option.name)) all.push_back(option);
  }
  return all;
}

Expected<EqualSide> equal_side(const std::string& word, const Arguments& arguments) {
  std::vector<std::string> words = words_of(word);
  Options options = options_of(words);
  for (const Invocation::Option& option : arguments.invocation().options) {
    if (option.name.empty() || !has(options, option.name)) continue;
    words.push_back("--" + option.name);
    if (option.value) words.push_back(*option.value);
  }
  options.push_back({"interpret", "", ""});
  words.push_back("--interpret");
  const Arguments given = TRY(parse_arguments(options, words));
  if (given.words().size() != 1) return error(fmt::format("'{}' names no program", word));
  Prepared prepared = TRY(verified_command(words).prepare(given));
  std::optional<KeptRun> launch;
  {
    LaunchScope scope;
    TRY(prepared.simulate(options_of_rerun(prepared.request.options)));
    launch = scope.take();
  }
  if (const Diags unread = given.unread(); !unread.empty()) return unread;
  arguments.read_as(given);
  if (!launch)
    return error(ErrorCode::unsupported,
                 fmt::format("'{}' runs nothing that could be compared", word));
  TRY(check_floats(launch->program, given));
  return EqualSide{fmt::format("{} ({})", word, prepared.kernel), *std::move(launch)};
}

Expected<EqualSide> definition_side(const EqualSide& of) {
  const Program& kernel = of.run.program;
  const Program program = TRY(make_definition(kernel, of.run.options.devices));
  EqualSide side{fmt::format("the definition of {}", kernel.name),
                 {TRY(expand(program)), {}, of.run.options}, true};
  RunOptions& options = side.run.options;
  options.devices = options.cores = 1;
  options.point_cores = 0;
  options.schedule = "eager";
  // A definition has its operands whole in vmem, however large they are.
  constexpr std::int64_t everything = std::int64_t{1} << 50;
  options.profile.vmem_bytes = options.profile.smem_bytes = options.profile.hbm_bytes = everything;
  side.run.operands.emplace_back();
  for (const Buffer& buffer : side.run.program.buffers)
    if (buffer.role != Role::scratch)
      side.run.operands.back().emplace(buffer.name, Tensor(buffer.dtype, buffer.shape));
  return side;
}

}  // namespace tessera::cli
