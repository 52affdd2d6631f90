#include "core/lang/parameter_binder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/lang/expressions.h"
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

}  // namespace

ParameterBinder::ParameterBinder(Draft& draft, Names& names, Expressions& expressions,
                                 RealArithmetic& reals)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      expressions_(expressions),
      reals_(reals) {}

void ParameterBinder::bind(const ast::Kernel& kernel, const Settings& settings) {
  Settings left = settings;
  kernel_ = kernel.name;
  bind_types(kernel.type_parameters, left);
  bind_parameters(kernel.parameters, left);
  refuse_settings(kernel, left);
}

void ParameterBinder::bind_types(const std::vector<ast::TypeParameter>& types, Settings& left) {
  for (const ast::TypeParameter& parameter : types) {
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
      draft_.fail(parameter.loc,
                  fmt::format("type parameter `{}` is one of {}, found `{}`", parameter.name,
                              known.empty() ? "the element types" : known, text),
                  ErrorCode::invalid_type);
      continue;
    }
    names_.set(parameter.name, {.kind = Entity::Kind::type, .type = *type});
    builder_.program().settings.push_back({parameter.name, text});
  }
}

// A parameter whose default is real is real; one without a default is an integer.
bool ParameterBinder::bind_real(const ast::Parameter& parameter, Settings& left) {
  if (!parameter.fallback) return false;
  const auto diags = static_cast<std::ptrdiff_t>(draft_.diags().size());
  const Entity fallback =
      expressions_.evaluate_known(*parameter.fallback, "the default of a parameter");
  // What is wrong is said where an integer's value is asked for.
  draft_.diags().erase(draft_.diags().begin() + diags, draft_.diags().end());
  const auto number = reals_.known_number(fallback);
  if (fallback.kind != Entity::Kind::real || !number) return false;
  double value = *number;
  if (const auto given = left.find(parameter.name); given != left.end()) {
    if (const auto real = parse_real(given->second))
      value = *real;
    else
      draft_.fail(parameter.loc, fmt::format("parameter `{}` is a real number, found `{}`",
                                             parameter.name, given->second));
    left.erase(given);
  }
  names_.set(parameter.name, reals_.real_entity(value));
  builder_.program().settings.push_back({parameter.name, fmt::format("{}", value)});
  return true;
}

void ParameterBinder::bind_parameters(const std::vector<ast::Parameter>& parameters,
                                      Settings& left) {
  for (const ast::Parameter& parameter : parameters) {
    if (bind_real(parameter, left)) continue;
    const auto value = integer_of(parameter, left);
    if (!value) {
      names_.set(parameter.name, {});
      continue;
    }
    names_.set(parameter.name, scalar_entity(builder_.integer(*value)));
    builder_.program().settings.push_back({parameter.name, std::to_string(*value)});
  }
}

// What it was given, or its default. Nothing after an error, but for a text that is no integer.
std::optional<std::int64_t> ParameterBinder::integer_of(const ast::Parameter& parameter,
                                                        Settings& left) {
  if (const auto given = left.find(parameter.name); given != left.end()) {
    const auto number = parse_integer(given->second);
    if (!number)
      draft_.fail(parameter.loc, fmt::format("parameter `{}` is an integer, found `{}`",
                                             parameter.name, given->second));
    left.erase(given);
    return number.value_or(0);
  }
  if (parameter.fallback)
    return expressions_.constant(*parameter.fallback,
                                 fmt::format("the default of `{}`", parameter.name));
  draft_.fail(parameter.loc, values_needed(kernel_, {&parameter.name, 1}));
  return std::nullopt;
}

void ParameterBinder::refuse_settings(const ast::Kernel& kernel, const Settings& left) {
  std::vector<std::string_view> known;
  for (const ast::TypeParameter& p : kernel.type_parameters) known.push_back(p.name);
  for (const ast::Parameter& p : kernel.parameters) known.push_back(p.name);
  for (const auto& [parameter, value] : left)
    draft_.fail(kernel.loc, unknown_parameter(kernel.name, parameter, known));
}

}  // namespace tessera
