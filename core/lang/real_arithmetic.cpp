#include "core/lang/real_arithmetic.h"

#include <fmt/format.h>

#include <cmath>

#include "core/data/extremum.h"

namespace tessera {
namespace {

// Functions of one number, evaluated at instantiation.
struct Function {
  std::string_view word;
  double (*value)(double);
};
// clang-format off
constexpr Function functions[] = {
    {"exp",       [](double x) { return std::exp(x); }},
    {"exp2",      [](double x) { return std::exp2(x); }},
    {"expm1",     [](double x) { return std::expm1(x); }},
    {"log",       [](double x) { return std::log(x); }},
    {"log1p",     [](double x) { return std::log1p(x); }},
    {"logistic",  [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"tanh",      [](double x) { return std::tanh(x); }},
    {"erf",       [](double x) { return std::erf(x); }},
    {"erfc",      [](double x) { return std::erfc(x); }},
    {"sin",       [](double x) { return std::sin(x); }},
    {"cos",       [](double x) { return std::cos(x); }},
    {"sqrt",      [](double x) { return std::sqrt(x); }},
    {"rsqrt",     [](double x) { return 1 / std::sqrt(x); }},
    {"floor",     [](double x) { return std::floor(x); }},
    {"ceil",      [](double x) { return std::ceil(x); }},
    {"round",     [](double x) { return std::nearbyint(x); }},
    {"sign",      [](double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }},
    {"is_finite", [](double x) { return std::isfinite(x) ? 1.0 : 0.0; }},
};
// clang-format on

// Fails for a NaN: programs contain no NaN constants, so a NaN at run time indicates undefined
// data.
Entity number(Elaboration& e, double result, std::string_view word, const Loc& loc) {
  if (std::isnan(result))
    return e.fail(loc, fmt::format("the result of `{}` is not a number", word));
  return real_entity(e, result);
}

}  // namespace

std::optional<double> known_number(const Elaboration& e, const Entity& entity) {
  if (entity.kind != Entity::Kind::scalar && entity.kind != Entity::Kind::real) return std::nullopt;
  const Value& v = e.program().value(entity.value);
  if (!v.constant) return std::nullopt;
  return entity.kind == Entity::Kind::real ? v.real : static_cast<double>(v.integer);
}

Entity real_entity(Elaboration& e, double number) {
  return {.kind = Entity::Kind::real, .value = e.builder.real(number)};
}

std::optional<Entity> real_binary(Elaboration& e, const ast::Binary& node, const Entity& left,
                                  const Entity& right) {
  if (left.kind != Entity::Kind::real && right.kind != Entity::Kind::real) return std::nullopt;
  const auto known_left = known_number(e, left), known_right = known_number(e, right);
  if (!known_left || !known_right) return std::nullopt;
  const double a = *known_left, b = *known_right;
  const auto result = [&](double x) { return number(e, x, name(node.op), node.loc); };
  const auto truth = [&](bool holds) { return scalar_entity(e.builder.integer(holds ? 1 : 0)); };
  switch (node.op) {
    case ast::Operator::add:
      return result(a + b);
    case ast::Operator::subtract:
      return result(a - b);
    case ast::Operator::multiply:
      return result(a * b);
    case ast::Operator::divide:
      return result(a / b);
    case ast::Operator::equal:
      return truth(a == b);
    case ast::Operator::not_equal:
      return truth(a != b);
    case ast::Operator::less:
      return truth(a < b);
    case ast::Operator::less_equal:
      return truth(a <= b);
    case ast::Operator::greater:
      return truth(a > b);
    case ast::Operator::greater_equal:
      return truth(a >= b);
    default:
      return std::nullopt;
  }
}

// Functions of one number return a real even for an integer. min and max return a real if one side
// is a real.
std::optional<Entity> real_function(Elaboration& e, const ast::Call& call,
                                    const std::vector<Entity>& arguments) {
  std::vector<double> known;
  const std::string& word = call.function;
  bool is_real = arguments.size() == 1 || word == "pow";
  for (const Entity& argument : arguments) {
    const auto number = known_number(e, argument);
    if (!number) return std::nullopt;
    known.push_back(*number);
    is_real |= argument.kind == Entity::Kind::real;
  }
  if (!is_real) return std::nullopt;
  const auto result = [&](double y) { return number(e, y, word, call.loc); };
  const double x = known[0];
  for (const Function& each : functions)
    if (word == each.word) return result(each.value(x));
  if (word == "pow") return result(std::pow(x, known[1]));
  if (word == "min") return real_entity(e, minimum(x, known[1]));
  if (word == "max") return real_entity(e, maximum(x, known[1]));
  if (word == "select") return arguments[x != 0 ? 1 : 2];
  return std::nullopt;
}

}  // namespace tessera
