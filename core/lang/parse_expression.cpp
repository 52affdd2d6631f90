// Expressions: `?:`, or, and, not, comparisons, `max` (a bound), + -, * / mod, the matrix product `
// . `, prefix, postfix.
#include <fmt/format.h>

#include <limits>

#include "core/lang/parser.h"
#include "core/lang/words.h"

namespace tessera {
namespace {

bool is_infinity(const Token& token) {
  return token.kind == TokenKind::name && token.text == "inf";
}

}  // namespace

const Token& Parser::peek(int ahead) const {
  const std::size_t i = at_ + static_cast<std::size_t>(ahead);
  return tokens_[i < tokens_.size() ? i : tokens_.size() - 1];
}

Token Parser::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::is(std::string_view text, int ahead) const {
  const Token& t = peek(ahead);
  return (t.kind == TokenKind::symbol || t.kind == TokenKind::name) && t.text == text;
}

bool Parser::continues(std::string_view text) const {
  return is(text) && (nesting_ > 0 || !peek().line_before);
}

bool Parser::accept(std::string_view text) {
  if (!is(text)) return false;
  take();
  return true;
}

Token Parser::expect(std::string_view text, std::string_view after) {
  if (is(text)) return take();
  const std::string message = fmt::format("expected `{}` {}", text, after);
  const bool is_at_end = nesting_ == 0 && at_ > 0 && peek().line_before;
  if (!is_at_end) fail(peek(), message);
  // What lacks is at the end of the line before, not where the next one begins.
  diags_.push_back({ErrorCode::invalid_value,
                    loc(tokens_[at_ - 1]),
                    message + ", found the end of the line",
                    {}});
  throw SyntaxError{};
}

Token Parser::expect_name(std::string_view what) {
  if (peek().kind != TokenKind::name) fail(peek(), fmt::format("expected {}", what));
  return take();
}

Token Parser::new_name(std::string_view what) {
  const Token name = expect_name(what);
  refuse_place(name);
  return name;
}

void Parser::refuse_place(const Token& name) {
  if (is_infinity(name))
    diags_.push_back({ErrorCode::invalid_value,
                      loc(name),
                      "`inf` is the number; a name of your own is another word",
                      {}});
  for (const std::string_view place : {"device", "devices", "core", "cores"}) {
    if (name.text == place)
      diags_.push_back(
          {ErrorCode::invalid_value,
           loc(name),
           fmt::format("`{}` says where the program runs; a name of your own is another word",
                       place),
           {}});
  }
}

void Parser::refuse_word(const Token& name) {
  if (is_word(name.text))
    diags_.push_back({ErrorCode::invalid_value,
                      loc(name),
                      fmt::format("`{}` is a word of the language; expected another name for a "
                                  "function",
                                  name.text),
                      {}});
}

Loc Parser::loc(const Token& token) const {
  return {source_, token.line, token.column, token.width};
}

Node Parser::make(NodeKind kind, const Token& token) const {
  Node node;
  node.kind = kind;
  node.loc = loc(token);
  return node;
}

Node Parser::binary(const Token& op, Node left, Node right) {
  Node node = make(NodeKind::binary, op);
  node.text = op.text;
  node.loc = left.loc;
  node.add(std::move(left));
  node.add(std::move(right));
  return chained(spanning(std::move(node)));
}

Node Parser::chained(Node node) {
  if (node.height > most_operators) fail(peek(), "expected at most 250 operators in a row");
  return node;
}

Node Parser::spanning(Node node) const {
  const Token& last = tokens_[at_ > 0 ? at_ - 1 : 0];
  if (last.line == node.loc.line && last.column + last.width > node.loc.column)
    node.loc.width = last.column + last.width - node.loc.column;
  return node;
}

void Parser::fail(const Token& token, std::string message) {
  const std::string found =
      token.kind == TokenKind::end ? "the end of the file" : fmt::format("`{}`", token.text);
  diags_.push_back(
      {ErrorCode::invalid_value, loc(token), fmt::format("{}, found {}", message, found), {}});
  throw SyntaxError{};
}

Node Parser::expression() {
  const Level level(*this);
  Node condition = disjunction();
  if (!continues("?")) return condition;
  const Token op = take();
  Node node = make(NodeKind::conditional, op);
  node.loc = condition.loc;
  node.add(std::move(condition));
  node.add(expression());
  expect(":", "between the two values of `?`");
  node.add(expression());
  return spanning(std::move(node));
}

Node Parser::disjunction() {
  Node left = conjunction();
  while (continues("or")) {
    const Token op = take();
    left = binary(op, std::move(left), conjunction());
  }
  return left;
}

Node Parser::conjunction() {
  Node left = negation();
  while (continues("and")) {
    const Token op = take();
    left = binary(op, std::move(left), negation());
  }
  return left;
}

Node Parser::negation() {
  if (!is("not")) return comparison();
  const Level level(*this);
  const Token op = take();
  Node node = make(NodeKind::unary, op);
  node.text = "not";
  node.add(negation());
  return spanning(std::move(node));
}

Node Parser::comparison() {
  Node left = limit();
  for (std::string_view s : {"==", "!=", "<=", ">=", "<", ">"})
    if (continues(s)) {
      const Token op = take();
      return binary(op, std::move(left), limit());
    }
  return left;
}

// `a max b`: a, which is never more than b.
Node Parser::limit() {
  Node left = sum();
  if (!continues("max")) return left;
  const Token op = take();
  return binary(op, std::move(left), sum());
}

Node Parser::sum() {
  Node left = product();
  while (continues("+") || continues("-")) {
    const Token op = take();
    left = binary(op, std::move(left), product());
  }
  return left;
}

Node Parser::product() {
  Node left = contraction();
  while (continues("*") || continues("/") || continues("mod")) {
    const Token op = take();
    left = binary(op, std::move(left), contraction());
  }
  return left;
}

// A dot with blanks around it is the matrix product; without, it names a member.
Node Parser::contraction() {
  Node left = prefix();
  while (continues(".") && peek().space_before) {
    const Token op = take();
    left = binary(op, std::move(left), prefix());
  }
  return left;
}

Node Parser::prefix() {
  if (!is("-")) return postfix();
  const Level level(*this);
  const Token op = take();
  Node node = make(NodeKind::unary, op);
  node.text = "-";
  node.add(prefix());
  return spanning(std::move(node));
}

Node Parser::postfix() {
  Node node = primary();
  while (true) {
    if (is("[") && !peek().line_before) {
      const Token bracket = take();
      Node index = make(NodeKind::index, bracket);
      index.loc = node.loc;
      index.add(std::move(node));
      ++nesting_;
      do index.add(item());
      while (accept(","));
      expect("]", "after the index");
      --nesting_;
      node = chained(spanning(std::move(index)));
    } else if (is(".") && !peek().space_before && !peek().space_after) {
      take();
      const Token name = expect_name("a member's name after `.`");
      Node member = make(NodeKind::member, name);
      member.text = name.text;
      member.loc = node.loc;
      member.add(std::move(node));
      node = chained(spanning(std::move(member)));
      if (is("(") && !peek().line_before) {
        Node call = make(NodeKind::call, name);
        call.loc = node.loc;
        call.add(std::move(node));  // a call of a member: text empty, the member first
        arguments(call);
        node = spanning(std::move(call));
      }
    } else {
      return node;
    }
  }
}

void Parser::arguments(Node& call) {
  expect("(", "before the arguments");
  ++nesting_;
  if (!is(")")) do {
      if (peek().kind == TokenKind::name && is("=", 1)) {
        const Token name = take();
        take();
        Node argument = make(NodeKind::named_argument, name);
        argument.text = name.text;
        argument.add(expression());
        call.add(spanning(std::move(argument)));
      } else {
        call.add(expression());
      }
    } while (accept(","));
  expect(")", "after the arguments");
  --nesting_;
}

Node Parser::primary() {
  const Token token = peek();
  if (accept("(")) {
    ++nesting_;
    Node inner = expression();
    expect(")", "to close `(`");
    --nesting_;
    return inner;
  }
  if (token.kind == TokenKind::end || token.kind == TokenKind::symbol)
    fail(token, "expected an expression");
  take();
  if (token.kind == TokenKind::integer) {
    Node node = make(NodeKind::integer, token);
    node.integer = token.integer;
    return node;
  }
  if (token.kind == TokenKind::real) {
    Node node = make(NodeKind::real, token);
    node.real = token.real;
    return node;
  }
  if (is_infinity(token)) {
    Node node = make(NodeKind::real, token);
    node.real = std::numeric_limits<double>::infinity();
    return node;
  }
  Node node = make(token.kind == TokenKind::text ? NodeKind::text : NodeKind::name, token);
  node.text = token.text;
  if (token.kind == TokenKind::name && is("(") && !peek().line_before && !peek().space_before) {
    node.kind = NodeKind::call;
    arguments(node);
    return spanning(std::move(node));
  }
  return node;
}

// `a .. b`, or a value: a range variable, or a count n that stands for 0 .. n.
Node Parser::range_or_count() {
  Node lower = expression();
  if (!continues("..")) return lower;
  const Token op = take();
  Node node = make(NodeKind::range, op);
  node.loc = lower.loc;
  node.add(std::move(lower));
  node.add(expression());
  return spanning(std::move(node));
}

Node Parser::item() {
  const Token token = peek();
  if (accept(":")) return make(NodeKind::item_all, token);
  Node first = range_or_count();
  if (!is("+:")) return first;
  take();
  Node node = make(NodeKind::item_span, token);
  node.add(std::move(first));
  node.add(expression());
  return spanning(std::move(node));
}

}  // namespace tessera
