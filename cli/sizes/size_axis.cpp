#include "cli/sizes/size_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/args/set_options.h"
#include "cli/args/source_file.h"
#include "cli/verify_target.h"
#include "core/report/try.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Extents of the operands and results in hbm, in declaration order.
std::vector<Shape> operand_shapes(const Program& program) {
  std::vector<Shape> shapes;
  for (const Buffer& buffer : program.buffers)
    if (buffer.role != Role::scratch && buffer.space == Space::hbm) shapes.push_back(buffer.shape);
  return shapes;
}

// Value of an integer parameter, also of a default that is an expression.
std::optional<std::int64_t> program_value(const Program& program, const std::string& name) {
  for (const Setting& setting : program.settings)
    if (setting.name == name) return parse_integer(setting.value);
  return std::nullopt;
}

Expected<std::vector<SizeAxis>> axes_of_program(const Arguments& arguments, int devices,
                                                int cores) {
  const auto module = TRY(open_program(arguments.words().front(), arguments.files()));
  const KernelInfo* const kernel = TRY(choose_kernel(*module, arguments));
  const Settings settings = TRY(settings_of(arguments, *kernel));
  const InstantiateOptions how{.devices = devices, .cores = cores};
  const Program program = TRY(instantiate_kernel(*module, *kernel, settings, how));
  std::vector<SizeAxis> axes;
  for (const ParameterInfo& parameter : kernel->parameters) {
    if (parameter.kind == ParameterInfo::Kind::dtype) continue;
    const std::optional<std::int64_t> value = program_value(program, parameter.name);
    if (!value) continue;
    SizeAxis axis{"set", parameter.name, *value};
    axis.is_tuning = parameter.kind == ParameterInfo::Kind::tuning;
    // A `require` may allow only multiples.
    for (const std::int64_t larger : {*value + 1, 2 * *value}) {
      Settings changed = settings;
      changed[parameter.name] = std::to_string(larger);
      const Expected<Program> other = instantiate_kernel(*module, *kernel, changed, how);
      if (!other) continue;
      axis.is_extent = operand_shapes(program) != operand_shapes(*other);
      break;
    }
    axes.push_back(axis);
  }
  return axes;
}

// Returns the command line with another value of one size.
Invocation with_value(const Invocation& invocation, const SizeAxis& axis, std::int64_t value) {
  if (axis.parameter.empty()) return invocation.with(axis.option, std::to_string(value));
  Invocation changed = invocation;
  const std::string text = fmt::format("{}={}", axis.parameter, value);
  const auto is_this = [&](const Invocation::Option& option) {
    return option.name == axis.option && option.value &&
           option.value->starts_with(axis.parameter + "=");
  };
  const auto found = std::find_if(changed.options.begin(), changed.options.end(), is_this);
  if (found == changed.options.end())
    changed.options.push_back({axis.option, text});
  else
    found->value = text;
  return changed;
}

}  // namespace

std::string SizeAxis::name() const {
  return fmt::format("--{}{}{}", option, parameter.empty() ? "" : " ", parameter);
}

std::string SizeAxis::words(std::int64_t with) const {
  return parameter.empty() ? fmt::format("--{} {}", option, with)
                           : fmt::format("--{} {}={}", option, parameter, with);
}

Expected<std::vector<SizeAxis>> size_axes(const Arguments& arguments, int devices) {
  const Command command = verified_command(arguments.given());
  const auto takes = [&](std::string_view name) {
    return find_option(command.options, name) != nullptr;
  };
  const auto given = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto& values = arguments.glance(name);
    return values.empty() ? std::nullopt : parse_integer(values.back());
  };
  std::vector<SizeAxis> axes;
  if (takes("devices")) axes.push_back({"devices", "", devices});
  if (const auto cores = given("cores"); cores && *cores > 1 && takes("cores"))
    axes.push_back({"cores", "", *cores});
  if (command.name == "run") {
    for (SizeAxis& axis :
         TRY(axes_of_program(arguments, devices, static_cast<int>(given("cores").value_or(1)))))
      axes.push_back(std::move(axis));
  } else {
    for (const char* name : {"groups", "m", "k", "n"})
      if (const auto value = given(name); value && takes(name))
        axes.push_back({name, "", *value, std::string_view(name) != "groups"});
  }
  if (takes("calls")) axes.push_back({"calls", "", given("calls").value_or(1)});
  return axes;
}

std::vector<SizedCommand> with_size(const Invocation& invocation, const std::vector<SizeAxis>& axes,
                                    std::size_t axis, std::int64_t value) {
  const SizeAxis& changed = axes[axis];
  const SizedCommand plain{with_value(invocation, changed, value), changed.words(value), false};
  if (changed.option == "calls") {
    // Kernels for several cores cannot have new scratch memory for each call.
    const SizedCommand kept{plain.invocation.with("scratch", "kept"),
                            plain.words + " --scratch kept", false};
    return invocation.has("scratch") ? std::vector{plain} : std::vector{plain, kept};
  }
  if (changed.option != "devices") return {plain};
  SizedCommand scaled = plain;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SizeAxis& other = axes[i];
    if (i == axis || other.option == "calls" || other.is_tuning || other.value <= 0) continue;
    const bool is_share = other.is_extent && other.value % changed.value == 0;
    if (!is_share && other.value != changed.value) continue;
    const std::int64_t now = other.value / changed.value * value;
    scaled.invocation = with_value(scaled.invocation, other, now);
    scaled.words += " " + other.words(now);
  }
  if (scaled.words == plain.words) return {plain};
  scaled.is_scaled = true;
  return {plain, scaled};
}

std::vector<SizedCommand> with_other_tables(const Invocation& invocation,
                                            const std::string& table) {
  std::vector<SizedCommand> found;
  for (std::size_t i = 0; i < invocation.options.size(); ++i) {
    const std::string& name = invocation.options[i].name;
    const std::optional<std::string>& value = invocation.options[i].value;
    const bool is_sizes = name == "group-sizes";
    if (!value || (!is_sizes && name != "in")) continue;
    const std::string prefix = is_sizes ? "" : table + "=";
    if (!value->starts_with(prefix)) continue;
    const auto parsed = parse_integers(std::string_view(*value).substr(prefix.size()));
    if (!parsed) continue;
    std::vector<std::int64_t> numbers = *parsed;
    const auto add = [&](const std::vector<std::int64_t>& table_of) {
      SizedCommand command{invocation, "", false};
      const std::string text = fmt::format("{}{}", prefix, fmt::join(table_of, ","));
      command.invocation.options[i].value = text;
      command.words = fmt::format("--{} {}", name, text);
      found.push_back(std::move(command));
    };
    // A single number that becomes 0 leaves nothing to do.
    std::vector<std::int64_t> changed = numbers;
    changed.back() = 0;
    if (numbers.size() > 1) add(changed);
    changed.assign(numbers.size(), *std::max_element(numbers.begin(), numbers.end()));
    add(changed);
    if (numbers.front() < 1) continue;
    --numbers.front();
    add(numbers);
    if (numbers.size() < 2) continue;
    ++numbers[1];
    add(numbers);
  }
  return found;
}

}  // namespace tessera::cli
