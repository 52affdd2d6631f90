#include "cli/sizes/size_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/args/set_options.h"
#include "cli/args/source_file.h"
#include "cli/verify_target.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Extents of the operands and results in hbm, in declaration order.
std::vector<Shape> operand_shapes(const Program& program) {
  std::vector<Shape> shapes;
  for (const Buffer& buffer : program.buffers)
    if (buffer.role != Role::scratch && buffer.space == Space::hbm) shapes.push_back(buffer.shape);
  return shapes;
}

Expected<std::vector<SizeAxis>> axes_of_program(const Arguments& arguments, int devices) {
  const auto module = TRY(open_program(arguments.words().front(), arguments.files()));
  const KernelInfo* const kernel = TRY(choose_kernel(*module, arguments));
  Settings settings = TRY(settings_of(arguments, *kernel));
  const InstantiateOptions how{.devices = devices, .cores = 1};
  const Expected<Program> program = instantiate_kernel(*module, *kernel, settings, how);
  std::vector<SizeAxis> axes;
  for (const ParameterInfo& parameter : kernel->parameters) {
    if (parameter.kind != ParameterInfo::Kind::problem) continue;
    const auto given = settings.find(parameter.name);
    const auto value = number(given == settings.end() ? parameter.default_text : given->second);
    if (!value) continue;
    SizeAxis axis{"set", parameter.name, *value};
    settings[parameter.name] = std::to_string(*value + 1);
    const Expected<Program> larger = instantiate_kernel(*module, *kernel, settings, how);
    settings[parameter.name] = std::to_string(*value);
    axis.is_extent = program && larger && operand_shapes(*program) != operand_shapes(*larger);
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

Expected<std::vector<SizeAxis>> size_axes(const Arguments& arguments) {
  const Command command = verified_command(arguments.given());
  const auto takes = [&](std::string_view name) {
    return find_option(command.options, name) != nullptr;
  };
  const auto given = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto& values = arguments.glance(name);
    return values.empty() ? std::nullopt : number(values.back());
  };
  const std::int64_t devices = given("devices").value_or(1);
  std::vector<SizeAxis> axes;
  if (takes("devices")) axes.push_back({"devices", "", devices});
  if (command.name == "run") {
    for (SizeAxis& axis : TRY(axes_of_program(arguments, static_cast<int>(devices))))
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
  if (changed.option != "devices") return {plain};
  SizedCommand scaled = plain;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SizeAxis& other = axes[i];
    if (i == axis || other.option == "calls" || other.value <= 0) continue;
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

std::optional<SizedCommand> with_zero(const Invocation& invocation, const std::string& table) {
  Invocation changed = invocation;
  for (Invocation::Option& option : changed.options) {
    const bool is_sizes = option.name == "group-sizes";
    if (!option.value || (!is_sizes && option.name != "in")) continue;
    const std::size_t begin = is_sizes ? 0 : table.size() + 1;
    if (!is_sizes && !option.value->starts_with(table + "=")) continue;
    if (option.value->find_first_not_of("0123456789,", begin) != std::string::npos) continue;
    const std::size_t from = option.value->rfind(',');
    const std::size_t last = from == std::string::npos ? begin : from + 1;
    option.value->replace(last, std::string::npos, "0");
    const std::string words = fmt::format("--{} {}", option.name, *option.value);
    return SizedCommand{changed, words, false};
  }
  return std::nullopt;
}

}  // namespace tessera::cli
