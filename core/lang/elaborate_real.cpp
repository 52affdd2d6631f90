// Real numbers that are known when the kernel is instantiated: its parameters, literals, and what
// is computed of them. They are computed in f64 and rounded where a tile op takes them.
#include <fmt/format.h>

#include <cmath>

#include "core/lang/elaborate.h"

namespace tessera {

std::optional<double> Elaborator::known_number(const Entity& entity) const {
  if (entity.kind != Entity::Kind::scalar && entity.kind != Entity::Kind::real) return std::nullopt;
  const Value& v = builder_.program().value(entity.value);
  if (!v.constant) return std::nullopt;
  return entity.kind == Entity::Kind::real ? v.real : static_cast<double>(v.integer);
}

Entity Elaborator::real_entity(double number) {
  return {.kind = Entity::Kind::real, .value = builder_.real(number)};
}

// No program has a NaN of its own: whoever meets one knows that something is undefined.
Entity Elaborator::number(double result, const Node& node) {
  if (std::isnan(result))
    return fail(node, fmt::format("the result of `{}` is no number", node.text));
  return real_entity(result);
}

std::optional<Entity> Elaborator::real_binary(const Node& node, const Entity& left,
                                              const Entity& right) {
  if (left.kind != Entity::Kind::real && right.kind != Entity::Kind::real) return std::nullopt;
  const auto known_left = known_number(left), known_right = known_number(right);
  if (!known_left || !known_right) return std::nullopt;
  const double a = *known_left, b = *known_right;
  const std::string& op = node.text;
  if (op == "+") return number(a + b, node);
  if (op == "-") return number(a - b, node);
  if (op == "*") return number(a * b, node);
  if (op == "/") return number(a / b, node);
  const auto truth = [&](bool holds) { return scalar_entity(builder_.integer(holds ? 1 : 0)); };
  if (op == "==") return truth(a == b);
  if (op == "!=") return truth(a != b);
  if (op == "<") return truth(a < b);
  if (op == "<=") return truth(a <= b);
  if (op == ">") return truth(a > b);
  if (op == ">=") return truth(a >= b);
  return std::nullopt;
}

// A function of one number is real, also of an integer; min and max are where one side is.
std::optional<Entity> Elaborator::real_function(const Node& call,
                                                const std::vector<Entity>& arguments) {
  std::vector<double> known;
  bool is_real = arguments.size() == 1;
  for (const Entity& argument : arguments) {
    const auto number = known_number(argument);
    if (!number) return std::nullopt;
    known.push_back(*number);
    is_real |= argument.kind == Entity::Kind::real;
  }
  if (!is_real) return std::nullopt;
  const std::string& word = call.text;
  const double x = known[0];
  if (word == "exp") return number(std::exp(x), call);
  if (word == "log") return number(std::log(x), call);
  if (word == "tanh") return number(std::tanh(x), call);
  if (word == "erf") return number(std::erf(x), call);
  if (word == "rsqrt") return number(1 / std::sqrt(x), call);
  if (word == "min") return real_entity(std::fmin(x, known[1]));
  if (word == "max") return real_entity(std::fmax(x, known[1]));
  if (word == "select") return arguments[x != 0 ? 1 : 2];
  return std::nullopt;
}

}  // namespace tessera
