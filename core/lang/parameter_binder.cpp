#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/parameter_errors.h"
#include "core/lang/real_arithmetic.h"

namespace tessera {
namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || std::isnan(value))
    return std::nullopt;
  return value;
}

void bind_types(Elaboration& e, const ast::Kernel& kernel, Settings& left) {
  for (const ast::TypeParameter& parameter : kernel.type_parameters) {
    const std::vector<std::string>& choices = parameter.choices;
    const auto given = left.find(parameter.name);
    const std::string text = given != left.end() ? given->second
                             : choices.empty()   ? ""
                                                 : choices[0];
    if (given != left.end()) left.erase(given);
    const auto type = parse_dtype(text);
    const bool accepted =
        choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end();
    if (!type || !accepted) {
      const std::string known = fmt::format("{}", fmt::join(choices, ", "));
      e.fail(parameter.loc,
             fmt::format("type parameter `{}` is one of {}, found `{}`", parameter.name,
                         known.empty() ? "the element types" : known, text),
             ErrorCode::invalid_type);
      continue;
    }
    e.names.set(parameter.name, {.kind = Entity::Kind::type, .type = *type});
    e.program().settings.push_back({parameter.name, text});
  }
}

// Binds a parameter if its default is real. A parameter without a default is an integer.
bool bind_real(Elaboration& e, const ast::Parameter& parameter, Settings& left) {
  if (!parameter.fallback) return false;
  const auto diags = static_cast<std::ptrdiff_t>(e.diags.size());
  const Entity fallback = evaluate_known(e, *parameter.fallback, "the default of a parameter");
  // Errors are reported when the default is evaluated as an integer.
  e.diags.erase(e.diags.begin() + diags, e.diags.end());
  const auto number = known_number(e, fallback);
  if (fallback.kind != Entity::Kind::real || !number) return false;
  double value = *number;
  if (const auto given = left.find(parameter.name); given != left.end()) {
    if (const auto real = parse_real(given->second))
      value = *real;
    else
      e.fail(parameter.loc, fmt::format("parameter `{}` is a real number, found `{}`",
                                        parameter.name, given->second));
    left.erase(given);
  }
  e.names.set(parameter.name, real_entity(e, value));
  e.program().settings.push_back({parameter.name, fmt::format("{}", value)});
  return true;
}

// Returns the given value or the default. None after an error; 0 if the given text is not an
// integer.
std::optional<std::int64_t> integer_of(Elaboration& e, const ast::Kernel& kernel,
                                       const ast::Parameter& parameter, Settings& left) {
  if (const auto given = left.find(parameter.name); given != left.end()) {
    const auto number = parse_integer(given->second);
    if (!number)
      e.fail(parameter.loc, fmt::format("parameter `{}` is an integer, found `{}`", parameter.name,
                                        given->second));
    left.erase(given);
    return number.value_or(0);
  }
  if (parameter.fallback)
    return constant(e, *parameter.fallback, fmt::format("the default of `{}`", parameter.name));
  e.fail(parameter.loc, values_needed(kernel.name, {&parameter.name, 1}));
  return std::nullopt;
}

void refuse_settings(Elaboration& e, const ast::Kernel& kernel, const Settings& left) {
  std::vector<std::string_view> known;
  for (const ast::TypeParameter& p : kernel.type_parameters) known.push_back(p.name);
  for (const ast::Parameter& p : kernel.parameters) known.push_back(p.name);
  for (const auto& [parameter, value] : left)
    e.fail(kernel.loc, unknown_parameter(kernel.name, parameter, known));
}

}  // namespace

void bind_parameters(Elaboration& e, const ast::Kernel& kernel, const Settings& settings) {
  Settings left = settings;
  bind_types(e, kernel, left);
  for (const ast::Parameter& parameter : kernel.parameters) {
    if (bind_real(e, parameter, left)) continue;
    const auto value = integer_of(e, kernel, parameter, left);
    if (!value) {
      e.names.set(parameter.name, {});
      continue;
    }
    e.names.set(parameter.name, scalar_entity(e.builder.integer(*value)));
    e.program().settings.push_back({parameter.name, std::to_string(*value)});
  }
  refuse_settings(e, kernel, left);
}

}  // namespace tessera
