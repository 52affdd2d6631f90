#include "cli/operations/case_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "cli/args/set_options.h"
#include "cli/args/source_file.h"
#include "cli/verify_target.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t largest_extent = 72, max_devices = 8;

class Draw {
 public:
  Draw(std::vector<std::string> words, const Arguments& arguments, fuzz::Choices& choices)
      : words_(std::move(words)), arguments_(arguments), choices_(choices) {}

  Expected<std::vector<std::string>> of_program() {
    const auto module = open_program(arguments_.words().front(), arguments_.files());
    if (!module) return module.diags();
    const Expected<const KernelInfo*> kernel = choose_kernel(**module, arguments_);
    if (!kernel) return kernel.diags();
    const Expected<Settings> given = settings_of(arguments_, **kernel);
    if (!given) return given.diags();
    Settings settings = *given;
    for (const ParameterInfo& parameter : (*kernel)->parameters) {
      if (settings.contains(parameter.name)) continue;
      const std::string value = setting(parameter);
      if (value.empty()) continue;
      settings.emplace(parameter.name, value);
      add("set", fmt::format("{}={}", parameter.name, value));
    }
    devices();
    const Expected<Program> program =
        instantiate_kernel(**module, **kernel, settings,
                           InstantiateOptions{.devices = static_cast<int>(devices_), .cores = 1});
    if (!program) return program.diags();
    tables(*program);
    return std::move(words_);
  }

  // Draws the sizes that an operation has as options.
  Expected<std::vector<std::string>> of_operation(const Options& options) {
    const auto takes = [&](std::string_view name) {
      return !arguments_.has(name) && std::any_of(options.begin(), options.end(),
                                                  [&](const Option& o) { return o.name == name; });
    };
    devices(takes("devices"));
    bool has_sizes = arguments_.has("group-sizes");
    if (takes("group-sizes")) {
      const std::int64_t groups = choices_.between(1, 5);
      std::vector<std::int64_t> sizes;
      for (std::int64_t g = 0; g < groups; ++g)
        sizes.push_back(choices_.percent(20) ? 0 : choices_.between(1, 40));
      has_sizes = choices_.percent(70);
      if (has_sizes) add("group-sizes", list(sizes));
    }
    for (const char* name : {"m", "k", "n"})
      if (takes(name) && !(has_sizes && std::string_view(name) == "m"))
        add(name, std::to_string(multiple(choices_.extent(largest_extent))));
    if (takes("groups") && !has_sizes) add("groups", std::to_string(choices_.between(1, 6)));
    if (takes("tiling") && choices_.percent(60))
      add("tiling", list({choices_.tile(), choices_.tile(), choices_.tile()}));
    if (takes("buffers") && choices_.percent(40))
      add("buffers", std::to_string(choices_.between(1, 4)));
    if (takes("seed")) add("seed", std::to_string(choices_.between(0, 999)));
    return std::move(words_);
  }

 private:
  void add(const std::string& name, const std::string& value) {
    words_.push_back("--" + name);
    words_.push_back(value);
  }
  static std::string list(const std::vector<std::int64_t>& numbers) {
    return fmt::format("{}", fmt::join(numbers, ","));
  }
  void devices(bool may_draw = true) {
    devices_ = 1;
    Diags ignored;
    if (arguments_.has("devices")) {
      devices_ = arguments_.integer("devices", ignored, 1).value_or(1);
    } else if (may_draw) {
      devices_ = choices_.between(1, max_devices);
      add("devices", std::to_string(devices_));
    }
  }
  // Often a multiple of the number of devices: collectives divide their sizes among the devices.
  std::int64_t multiple(std::int64_t n) {
    return choices_.percent(60) ? (n + devices_ - 1) / devices_ * devices_ : n;
  }

  std::string setting(const ParameterInfo& parameter) {
    switch (parameter.kind) {
      case ParameterInfo::Kind::dtype:
        if (parameter.choices.empty()) return {};
        return parameter.choices[static_cast<std::size_t>(
            choices_.between(0, static_cast<std::int64_t>(parameter.choices.size()) - 1))];
      case ParameterInfo::Kind::tuning:
        return choices_.percent(30) ? parameter.default_text : std::to_string(choices_.tile());
      case ParameterInfo::Kind::problem:
        if (!parameter.default_text.empty() && choices_.percent(20)) return parameter.default_text;
        if (choices_.percent(10)) return "0";
        return std::to_string(choices_.extent(choices_.percent(50) ? 8 : largest_extent));
    }
    return {};
  }

  // Draws the integer operands in smem without --in: sizes, permutations, switches.
  void tables(const Program& program) {
    for (const Buffer& buffer : program.buffers) {
      if (buffer.role != Role::in || buffer.space != Space::smem || !is_integer(buffer.dtype))
        continue;
      const auto is_given = [&](const std::string& in) {
        return in.starts_with(buffer.name + "=") || in.starts_with(buffer.name + "@");
      };
      const std::vector<std::string>& in = arguments_.all("in");
      if (std::any_of(in.begin(), in.end(), is_given)) continue;
      const std::int64_t n = elements(buffer.shape);
      if (n == 0 || n > 4096) continue;
      if (choices_.percent(50)) {
        add("in", fmt::format("{}={}", buffer.name, list(table(n))));
        continue;
      }
      for (std::int64_t d = 0; d < devices_; ++d)
        add("in", fmt::format("{}@{}={}", buffer.name, d, list(table(n))));
    }
  }

  std::vector<std::int64_t> table(std::int64_t n) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(n));
    switch (choices_.between(0, 3)) {
      case 0:  // equal values
        std::fill(values.begin(), values.end(), choices_.between(0, 3));
        break;
      case 1:  // permutation
        std::iota(values.begin(), values.end(), 0);
        choices_.shuffle(values);
        break;
      case 2:  // device indices
        for (std::int64_t& v : values) v = choices_.between(0, devices_ - 1);
        break;
      default:  // sizes
        for (std::int64_t& v : values) v = choices_.percent(20) ? 0 : choices_.between(1, 16);
    }
    return values;
  }

  std::vector<std::string> words_;
  const Arguments& arguments_;
  fuzz::Choices& choices_;
  std::int64_t devices_ = 1;
};

}  // namespace

Expected<std::vector<std::string>> draw_case_words(const std::vector<std::string>& given,
                                                   const Arguments& arguments,
                                                   fuzz::Choices& choices) {
  Draw draw(given, arguments, choices);
  const Command command = verified_command(given);
  return command.name == "run" ? draw.of_program() : draw.of_operation(command.options);
}

}  // namespace tessera::cli
