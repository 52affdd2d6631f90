// Statements. One ends at the end of its line, at `;` or at the `}` of its block.
#include <fmt/format.h>

#include <string_view>

#include "core/lang/keywords.h"
#include "core/lang/parser.h"

namespace tessera {

Node Parser::block() {
  const Level level(*this);
  const Token open = expect("{", "to open a block");
  Node node = make(NodeKind::block, open);
  const int nesting = nesting_;
  nesting_ = 0;
  while (!is("}")) {
    if (peek().kind == TokenKind::end) fail(peek(), "expected `}` to close the block");
    if (!node.kids.empty() && accept(";")) continue;  // behind a block
    try {
      statement(node);
    } catch (const SyntaxError&) {
      nesting_ = 0;
      skip_statement();
    }
  }
  take();
  nesting_ = nesting;
  return node;
}

void Parser::end_statement() {
  if (accept(";") || is("}") || peek().line_before || peek().kind == TokenKind::end) return;
  fail(peek(), "expected the end of the statement");
}

// After an error: on to the next line that starts at the same depth of braces, or to the brace that
// closes the block.
void Parser::skip_statement() {
  int depth = 0;
  do {
    if (is("{")) ++depth;
    if (is("}") && --depth < 0) return;
    take();
  } while (peek().kind != TokenKind::end && (depth > 0 || !peek().line_before));
}

// `start = 0`: the parser would look for the source of a copy.
void Parser::refuse_statement_word() {
  const Token token = peek();
  if (is("=", 1) && begins_statement(token.text))
    fail(token, "expected a name to assign to, which no word is that begins a statement");
}

void Parser::statement(Node& into) {
  refuse_statement_word();
  if (is("const")) return constants(into);
  if (is("for")) return into.add(for_loop());
  if (is("if")) return into.add(if_else());
  if (is("trace")) return into.add(trace());
  if (is("pipeline")) return into.add(pipeline());
  Node node;
  const Token token = peek();
  if (is("require"))
    node = require();
  else if (is("grid")) {
    take();
    node = make(NodeKind::grid, token);
    node.add(loop_variable(true));
  } else if (is("window"))
    node = window();
  else if (is("start"))
    node = start();
  else if (is("copy"))
    node = copy();
  else if (is("wait") || is("await"))
    node = wait();
  else if (is("signal"))
    node = signal();
  else if (is("return"))
    node = returns();
  else if (is("scoped")) {
    node = make(NodeKind::scoped, token);
    node.add(declaration());
  } else if ((is("alloc") || is("free") || is("fresh") || is("once")) &&
             peek(1).kind == TokenKind::name && !peek(1).line_before) {
    node = make(NodeKind::operate, take());
    node.text = token.text;
    node.add(postfix());
  } else if (defines_function()) {
    refuse_word(token);
    node = definition();
  } else
    node = assignment_or_call();
  into.add(spanning(std::move(node)));
  end_statement();
}

void Parser::constants(Node& into) {
  take();
  do {
    if (defines_function()) refuse_word(peek());
    into.add(definition());
  } while (accept(","));
  end_statement();
}

// `name(a, b) = ...`: a scalar function of its parameters, or, with `i in n`, an array.
bool Parser::defines_function() const {
  if (peek().kind != TokenKind::name || !is("(", 1) || peek(1).space_before) return false;
  int depth = 0;
  for (int i = 1; peek(i).kind != TokenKind::end; ++i) {
    if (is("(", i)) ++depth;
    if (is(")", i) && --depth == 0) return is("=", i + 1) && !peek(i + 1).line_before;
  }
  return false;
}

Node Parser::definition() {
  const Token name = new_name("a name");
  Node node = make(NodeKind::define, name);
  node.text = name.text;
  if (accept("(")) {
    do {
      if (is("in", 1))
        node.add(loop_variable(false));
      else {
        const Token parameter = new_name("a parameter's name");
        Node p = make(NodeKind::name, parameter);
        p.text = parameter.text;
        node.add(std::move(p));
      }
    } while (accept(","));
    expect(")", "after the parameters");
  }
  expect("=", fmt::format("and the value of `{}`", name.text));
  node.add(range_or_count());
  return node;
}

Node Parser::loop_variable(bool parallel_allowed) {
  const Token name = new_name("a loop variable");
  Node node = make(NodeKind::loop_variable, name);
  node.text = name.text;
  expect("in", fmt::format("and the range of `{}`", name.text));
  node.add(range_or_count());
  if (is("step") && !peek().line_before) {
    if (!parallel_allowed)
      fail(peek(), "an array has an element for each number; expected a range without a step");
    take();
    node.add(expression());
  }
  if (parallel_allowed && accept("parallel")) node.integer = 1;
  return node;
}

Node Parser::for_loop() {
  Node node = make(NodeKind::for_loop, take());
  node.add(loop_variable(true));
  node = spanning(std::move(node));
  node.add(block());
  return node;
}

Node Parser::if_else() {
  const Level level(*this);
  Node node = make(NodeKind::if_else, take());
  node.add(expression());
  node = spanning(std::move(node));
  node.add(block());
  if (!is("elif") && !accept("else")) return node;
  if (is("if") || is("elif")) {
    Node nested = make(NodeKind::block, peek());
    nested.add(if_else());
    node.add(std::move(nested));
  } else {
    node.add(block());
  }
  return node;
}

Node Parser::trace() {
  Node node = make(NodeKind::trace, take());
  if (peek().kind != TokenKind::integer)
    fail(peek(), "expected the level of the trace region, a number");
  node.integer = take().integer;
  if (peek().kind != TokenKind::text)
    fail(peek(), "expected the name of the trace region in quotes");
  node.text = take().text;
  node = spanning(std::move(node));
  node.add(block());
  return node;
}

Node Parser::require() {
  Node node = make(NodeKind::require, take());
  node.add(expression());
  if (accept(",")) {
    if (peek().kind != TokenKind::text) fail(peek(), "expected the message of `require` in quotes");
    node.text = take().text;
  }
  return node;
}

Node Parser::pipeline() {
  Node node = make(NodeKind::pipeline, take());
  if (!is("{")) {
    do node.add(loop_variable(true));
    while (accept(","));
  }
  node = spanning(std::move(node));
  node.add(block());
  return node;
}

Node Parser::window() {
  Node node = make(NodeKind::window, take());
  const Token name = new_name("the window's name");
  node.text = name.text;
  expect("=", "and the slice that the window shows");
  node.add(postfix());
  while (!peek().line_before && peek().kind == TokenKind::name) {
    Node attribute = make(NodeKind::attribute, peek());
    attribute.text = take().text;
    if (attribute.text == "update") {
      if (accept("when")) attribute.add(expression());
    } else if (attribute.text == "depth" || attribute.text == "pad" || attribute.text == "when") {
      attribute.add(expression());
    } else {
      fail(tokens_[at_ - 1], "expected depth, pad, when or update");
    }
    node.add(std::move(attribute));
    accept(",");
  }
  return node;
}

// start SRC -> DST, SEM    or    start SRC -> DEVICE [core CORE]: DST, SENT, ARRIVED
Node Parser::start() {
  Node node = make(NodeKind::start, take());
  node.add(postfix());
  expect("->", "and the destination of the copy");
  Node destination = expression(), core;
  const bool names_core = accept("core");
  if (names_core) core = expression();
  const bool remote = names_core || is(":");
  if (remote) expect(":", "and the destination on that core");
  node.add(std::move(destination));
  if (remote) node.add(postfix());
  expect(",", remote ? "and the send and the receive semaphore"
                     : "and the semaphore that counts the bytes");
  node.add(postfix());
  if (remote) {
    expect(",", "and the receive semaphore");
    node.add(postfix());
  }
  if (names_core) node.add(std::move(core));
  if (!peek().line_before && accept("add")) node.integer = 1;
  return node;
}

Node Parser::copy() {
  Node node = make(NodeKind::copy, take());
  node.add(postfix());
  expect("->", "and the destination of the copy");
  node.add(postfix());
  return node;
}

Node Parser::wait() {
  Node node = make(NodeKind::wait, peek());
  node.text = take().text;
  node.add(postfix());
  if (node.text == "wait" && accept("for")) {
    node.kind = NodeKind::wait_for;
    node.add(postfix());
  } else {
    expect(",", "and the count, or `for` and the slice whose bytes are waited for");
    node.add(expression());
  }
  return node;
}

Node Parser::signal() {
  Node node = make(NodeKind::signal, take());
  node.add(postfix());
  Node device, core;
  const bool has_device = accept("on");
  if (has_device) device = expression();
  const bool names_core = has_device && accept("core");
  if (names_core) core = expression();
  expect(",", "and the count");
  node.add(expression());
  if (has_device) node.add(std::move(device));
  if (names_core) node.add(std::move(core));
  return node;
}

// `return x`, or entries `name = x` and `name(i) = x`, one on each line to the end of the block.
Node Parser::returns() {
  Node node = make(NodeKind::returns, take());
  const auto entry_starts = [&] {
    return defines_function() || (peek().kind == TokenKind::name && is("=", 1));
  };
  if (!entry_starts()) {
    node.add(expression());
    return node;
  }
  while (entry_starts()) {
    node.add(definition());
    if (!is("}")) end_statement();
  }
  return node;
}

// Functions are inlined, and a jump out of one is nothing that a program has: `return` names the
// result and stands where the function ends anyway.
void Parser::refuse_early_returns(const Node& block, bool ends_function) {
  for (const Node& kid : block.kids) {
    const bool is_end = ends_function && &kid == &block.kids.back();
    if (kid.kind == NodeKind::returns && !is_end)
      diags_.push_back({ErrorCode::invalid_value,
                        kid.loc,
                        "`return` does not leave a function: expected it as the last statement, or "
                        "in the branches of a last `if`",
                        {}});
    if (kid.kind == NodeKind::if_else) {
      for (std::size_t i = 1; i < kid.kids.size(); ++i) refuse_early_returns(kid.kids[i], is_end);
    } else if (!kid.kids.empty() && kid.kids.back().kind == NodeKind::block) {
      refuse_early_returns(kid.kids.back(), false);  // of a loop, a pipeline, a trace region
    }
  }
}

void Parser::refuse_foreign(const Token& first, const Node& target) {
  const auto instead = [&](const Token& at, std::string_view what) {
    diags_.push_back({ErrorCode::invalid_value, loc(at), std::string(what), {}});
    throw SyntaxError{};
  };
  if (target.kind == NodeKind::name || target.kind == NodeKind::call) {
    if (target.text == "elif") instead(first, "expected the block of an `if` before `elif`");
    if (target.text == "while")
      instead(first, "there is no `while`; expected a `for` whose body stands in an `if`");
  }
}

Node Parser::assignment_or_call() {
  const Token first = peek();
  Node target = postfix();
  if (is("=") || is("+=") || is("-=") || is("*=") || is("/=")) {
    if (peek().line_before) fail(peek(), "expected an assignment on one line");
    const Token op = take();
    if (op.text == "=" && target.kind == NodeKind::name) {
      refuse_place(first);
      Node node = make(NodeKind::define, first);
      node.text = target.text;
      node.add(range_or_count());
      return node;
    }
    Node node = make(NodeKind::assign, first);
    node.text = op.text;
    node.add(std::move(target));
    node.add(expression());
    return node;
  }
  refuse_foreign(first, target);
  if (target.kind != NodeKind::call)
    fail(peek(), "expected a statement: `=`, `+=`, `-=`, `*=` or `/=` after a name, or a call");
  Node node = make(NodeKind::expression, first);
  node.add(std::move(target));
  return node;
}

}  // namespace tessera
