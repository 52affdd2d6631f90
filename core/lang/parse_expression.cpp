#include "core/lang/parse_expression.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera {
namespace {

using ast::Expression;
using ast::Operator;

// Each operator of a chain adds a level to the tree.
constexpr int max_operators = 250;

bool is_infinity(const Token& token) {
  return token.kind == TokenKind::name && token.text == "inf";
}

}  // namespace

ast::Child ExpressionParser::child(Expression expression) {
  return std::make_unique<const Expression>(std::move(expression));
}

int ExpressionParser::height_over(const std::vector<Expression>& parts) {
  int height = 1;
  for (const Expression& part : parts) height = std::max(height, part.height + 1);
  return height;
}

Expression ExpressionParser::chained(Expression expression) {
  if (expression.height > max_operators)
    tokens_.fail(tokens_.peek(), "expected at most 250 operators in a row");
  return expression;
}

// Parses a binary expression; the operator is the next token.
Expression ExpressionParser::binary(Operator op, Expression left, Operand right_operand) {
  tokens_.take();
  Expression right = (this->*right_operand)();
  const int height = 1 + std::max(left.height, right.height);
  Loc loc = left.loc();
  tokens_.widen(loc);
  return chained(
      {ast::Binary{std::move(loc), op, child(std::move(left)), child(std::move(right))}, height});
}

Expression ExpressionParser::expression() {
  const TokenReader::Level level(tokens_);
  Expression condition = disjunction();
  if (!tokens_.continues("?")) return condition;
  tokens_.take();
  Expression a = expression();
  tokens_.expect(":", "between the two values of `?`");
  Expression b = expression();
  const int height = 1 + std::max({condition.height, a.height, b.height});
  Loc loc = condition.loc();
  tokens_.widen(loc);
  return {ast::Conditional{std::move(loc), child(std::move(condition)), child(std::move(a)),
                           child(std::move(b))},
          height};
}

Expression ExpressionParser::disjunction() {
  Expression left = conjunction();
  while (tokens_.continues("or"))
    left = binary(Operator::either, std::move(left), &ExpressionParser::conjunction);
  return left;
}

Expression ExpressionParser::conjunction() {
  Expression left = negation();
  while (tokens_.continues("and"))
    left = binary(Operator::both, std::move(left), &ExpressionParser::negation);
  return left;
}

Expression ExpressionParser::negation() {
  if (!tokens_.is("not")) return comparison();
  const TokenReader::Level level(tokens_);
  Loc loc = tokens_.loc(tokens_.take());
  Expression operand = negation();
  tokens_.widen(loc);
  const int height = 1 + operand.height;
  return {ast::Not{std::move(loc), child(std::move(operand))}, height};
}

Expression ExpressionParser::comparison() {
  Expression left = limit();
  for (const Operator op : {Operator::equal, Operator::not_equal, Operator::less_equal,
                            Operator::greater_equal, Operator::less, Operator::greater})
    if (tokens_.continues(name(op))) return binary(op, std::move(left), &ExpressionParser::limit);
  return left;
}

// `a max b`: a, which never exceeds b.
Expression ExpressionParser::limit() {
  Expression left = sum();
  if (!tokens_.continues("max")) return left;
  return binary(Operator::limit, std::move(left), &ExpressionParser::sum);
}

Expression ExpressionParser::sum() {
  Expression left = product();
  while (tokens_.continues("+") || tokens_.continues("-"))
    left = binary(tokens_.is("+") ? Operator::add : Operator::subtract, std::move(left),
                  &ExpressionParser::product);
  return left;
}

Expression ExpressionParser::product() {
  Expression left = contraction();
  while (tokens_.continues("*") || tokens_.continues("/") || tokens_.continues("mod"))
    left = binary(tokens_.is("*")   ? Operator::multiply
                  : tokens_.is("/") ? Operator::divide
                                    : Operator::modulo,
                  std::move(left), &ExpressionParser::contraction);
  return left;
}

// A dot with blanks around it is the matrix product; without blanks, it precedes a member name.
Expression ExpressionParser::contraction() {
  Expression left = prefix();
  while (tokens_.continues(".") && tokens_.peek().space_before)
    left = binary(Operator::product, std::move(left), &ExpressionParser::prefix);
  return left;
}

Expression ExpressionParser::prefix() {
  if (!tokens_.is("-")) return postfix();
  const TokenReader::Level level(tokens_);
  Loc loc = tokens_.loc(tokens_.take());
  Expression operand = prefix();
  tokens_.widen(loc);
  const int height = 1 + operand.height;
  return {ast::Negative{std::move(loc), child(std::move(operand))}, height};
}

std::vector<Expression> ExpressionParser::list() {
  std::vector<Expression> expressions;
  do expressions.push_back(expression());
  while (tokens_.accept(","));
  return expressions;
}

std::vector<Expression> ExpressionParser::arguments() {
  tokens_.expect("(", "before the arguments");
  const TokenReader::Brackets brackets(tokens_);
  std::vector<Expression> arguments;
  if (!tokens_.is(")")) do
      arguments.push_back(argument());
    while (tokens_.accept(","));
  tokens_.expect(")", "after the arguments");
  return arguments;
}

Expression ExpressionParser::argument() {
  if (tokens_.peek().kind != TokenKind::name || !tokens_.is("=", 1)) return expression();
  const Token name = tokens_.take();
  tokens_.take();
  Expression value = expression();
  Loc loc = tokens_.loc(name);
  tokens_.widen(loc);
  const int height = 1 + value.height;
  return {ast::NamedArgument{std::move(loc), name.text, child(std::move(value))}, height};
}

Expression ExpressionParser::primary() {
  const Token token = tokens_.peek();
  if (tokens_.accept("(")) {
    const TokenReader::Brackets brackets(tokens_);
    Expression inner = expression();
    tokens_.expect(")", "to close `(`");
    return inner;
  }
  if (token.kind == TokenKind::end || token.kind == TokenKind::symbol)
    tokens_.fail(token, "expected an expression");
  tokens_.take();
  Loc loc = tokens_.loc(token);
  if (token.kind == TokenKind::integer) return {ast::Integer{std::move(loc), token.integer}};
  if (token.kind == TokenKind::real) return {ast::Real{std::move(loc), token.real}};
  if (token.kind == TokenKind::text) return {ast::Text{std::move(loc), token.text}};
  if (is_infinity(token))
    return {ast::Real{std::move(loc), std::numeric_limits<double>::infinity()}};
  const Token& next = tokens_.peek();
  if (!tokens_.is("(") || next.line_before || next.space_before)
    return {ast::Name{std::move(loc), token.text}};
  std::vector<Expression> given = arguments();
  tokens_.widen(loc);
  const int height = height_over(given);
  Expression call{ast::Call{std::move(loc), token.text, std::move(given)}, height};
  return token.text == "view" && tokens_.continues("as") ? view_as(std::move(call))
                                                         : std::move(call);
}

Expression ExpressionParser::range_or_count() {
  Expression lower = expression();
  if (!tokens_.continues("..")) return lower;
  tokens_.take();
  Expression upper = expression();
  const int height = 1 + std::max(lower.height, upper.height);
  Loc loc = lower.loc();
  tokens_.widen(loc);
  return {ast::Range{std::move(loc), child(std::move(lower)), child(std::move(upper))}, height};
}

}  // namespace tessera
