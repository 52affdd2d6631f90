#include "core/lang/parse_debug.h"

#include <string>
#include <utility>

namespace tessera {

// Fails if the next token is on the next line, since it begins another statement.
void DebugParser::expect_on_line(const Loc& loc, std::string_view what) {
  const bool is_there =
      !tokens_.peek().line_before && !tokens_.is("}") && !tokens_.is(";") && !tokens_.at_end();
  if (is_there) return;
  tokens_.report(loc, std::string(what));
  throw TokenReader::SyntaxError{};
}

ast::Print DebugParser::print() {
  ast::Print print{tokens_.loc(tokens_.take()), {}};
  expect_on_line(print.loc, "expected a value to print: a text, a number, memory or a semaphore");
  if (tokens_.is("(") && tokens_.peek(1).kind == TokenKind::text && tokens_.is(",", 2))
    tokens_.fail(tokens_.peek(), "expected a text or a value, as in `print \"s\", s`");
  do print.items.push_back(expressions_.expression());
  while (tokens_.accept(","));
  return print;
}

ast::Assert DebugParser::assertion() {
  Loc loc = tokens_.loc(tokens_.take());
  expect_on_line(loc, "expected the condition that must hold");
  ast::Assert assertion{std::move(loc), expressions_.expression(), {}};
  if (tokens_.accept(",")) {
    if (tokens_.peek().kind != TokenKind::text)
      tokens_.fail(tokens_.peek(), "expected the message of `assert` in quotes");
    assertion.message = tokens_.take().text;
  }
  return assertion;
}

ast::Breakpoint DebugParser::breakpoint() {
  ast::Breakpoint breakpoint{tokens_.loc(tokens_.take()), {}};
  if (!tokens_.accept_here("if")) return breakpoint;
  expect_on_line(breakpoint.loc, "expected the condition under which a debugger stops");
  breakpoint.condition = expressions_.expression();
  return breakpoint;
}

}  // namespace tessera
