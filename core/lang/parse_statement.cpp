#include "core/lang/parse_statement.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "core/lang/foreign_words.h"
#include "core/lang/keywords.h"

namespace tessera {

ast::Block StatementParser::block() {
  const TokenReader::Level level(tokens_);
  ast::Block block{tokens_.loc(tokens_.expect("{", "to open a block")), {}};
  const TokenReader::Braces braces(tokens_);
  while (!tokens_.is("}")) {
    if (tokens_.at_end()) tokens_.fail(tokens_.peek(), "expected `}` to close the block");
    if (!block.statements.empty() && tokens_.accept(";")) continue;  // after a block
    try {
      statement(block);
    } catch (const TokenReader::SyntaxError&) {
      skip_statement();
    }
  }
  tokens_.take();
  return block;
}

void StatementParser::end_statement() {
  const Token& next = tokens_.peek();
  if (tokens_.accept(";") || tokens_.is("}") || next.line_before || tokens_.at_end()) return;
  tokens_.fail(next, "expected the end of the statement");
}

// Error recovery: skips to the next line at the same brace depth, or to the brace that closes the
// block.
void StatementParser::skip_statement() {
  int depth = 0;
  do {
    if (tokens_.is("{")) ++depth;
    if (tokens_.is("}") && --depth < 0) return;
    tokens_.take();
  } while (!tokens_.at_end() && (depth > 0 || !tokens_.peek().line_before));
}

void StatementParser::statement(ast::Block& into) {
  refuse_statement_word();
  const auto add = [&](Form form) { into.statements.push_back({std::move(form)}); };
  if (tokens_.is("const")) return constants(into);
  if (tokens_.is("for")) return add(for_loop());
  if (tokens_.is("while")) return add(while_loop());
  if (tokens_.is("if")) return add(if_else());
  if (tokens_.is("trace")) return add(trace());
  if (tokens_.is("pipeline")) return add(pipeline());
  Form form = simple();
  std::visit([&](auto& statement) { tokens_.widen(statement.loc); }, form);
  add(std::move(form));
  end_statement();
}

// Statement without a block.
StatementParser::Form StatementParser::simple() {
  if (tokens_.is("require")) return require();
  if (tokens_.is("assert")) return debug_.assertion();
  if (tokens_.is("print")) return debug_.print();
  if (tokens_.is("breakpoint")) return debug_.breakpoint();
  if (tokens_.is("grid")) return grid();
  if (tokens_.is("window")) return window();
  if (tokens_.is("start")) return transfers_.start();
  if (tokens_.is("copy")) return transfers_.copy();
  if (tokens_.is("wait") || tokens_.is("await")) return transfers_.wait();
  if (tokens_.is("signal")) return transfers_.signal();
  if (tokens_.is("opaque")) return opaque();
  if (tokens_.is("return")) return returns();
  if (tokens_.is("scoped")) return scoped();
  if (operates()) return operate();
  if (definitions_.is_function()) {
    tokens_.refuse_word(tokens_.peek());
    return definitions_.definition();
  }
  return assignment_or_call();
}

ast::ScopedDeclaration StatementParser::scoped() {
  return {tokens_.loc(tokens_.peek()), declarations_.declaration()};
}

bool StatementParser::operates() const {
  const bool is_word =
      tokens_.is("alloc") || tokens_.is("free") || tokens_.is("fresh") || tokens_.is("once");
  return is_word && tokens_.peek(1).kind == TokenKind::name && !tokens_.peek(1).line_before;
}

ast::Operate StatementParser::operate() {
  using Kind = ast::Operate::Kind;
  const Kind kind = tokens_.is("alloc")   ? Kind::alloc
                    : tokens_.is("free")  ? Kind::free
                    : tokens_.is("fresh") ? Kind::fresh
                                          : Kind::once;
  return {tokens_.loc(tokens_.take()), kind, expressions_.postfix()};
}

void StatementParser::constants(ast::Block& into) {
  tokens_.take();
  do {
    if (definitions_.is_function()) tokens_.refuse_word(tokens_.peek());
    into.statements.push_back({definitions_.definition()});
  } while (tokens_.accept(","));
  end_statement();
}

ast::For StatementParser::for_loop() {
  ast::For loop{tokens_.loc(tokens_.take()), definitions_.loop_variable(true), {}};
  tokens_.widen(loop.loc);
  loop.body = block();
  return loop;
}

// Without a condition, the block contains `proceed`.
ast::While StatementParser::while_loop() {
  ast::While loop{tokens_.loc(tokens_.take()), {}, {}};
  if (!tokens_.is("{")) loop.condition = expressions_.expression();
  tokens_.widen(loop.loc);
  loop.body = block();
  return loop;
}

// opaque a, b[0:4] from x, y
ast::Opaque StatementParser::opaque() {
  ast::Opaque statement{tokens_.loc(tokens_.take()), {}, {}};
  do statement.destinations.push_back(expressions_.postfix());
  while (tokens_.accept(","));
  if (!tokens_.accept_here("from")) return statement;
  do statement.sources.push_back(expressions_.expression());
  while (tokens_.accept(","));
  return statement;
}

ast::If StatementParser::if_else() {
  const TokenReader::Level level(tokens_);
  ast::If branch{tokens_.loc(tokens_.take()), expressions_.expression(), {}, {}};
  tokens_.widen(branch.loc);
  branch.then = block();
  branch.otherwise_loc = tokens_.loc(tokens_.peek());
  if (!tokens_.is("elif") && !tokens_.accept("else")) return branch;
  if (tokens_.is("if") || tokens_.is("elif")) {
    branch.otherwise = ast::Block{tokens_.loc(tokens_.peek()), {}};
    branch.otherwise->statements.push_back({if_else()});
  } else {
    branch.otherwise = block();
  }
  return branch;
}

ast::TraceRegion StatementParser::trace() {
  ast::TraceRegion region{tokens_.loc(tokens_.take()), 0, {}, {}};
  if (tokens_.peek().kind != TokenKind::integer)
    tokens_.fail(tokens_.peek(), "expected the level of the trace region, a number");
  region.level = tokens_.take().integer;
  if (tokens_.peek().kind != TokenKind::text)
    tokens_.fail(tokens_.peek(), "expected the name of the trace region in quotes");
  region.message = tokens_.take().text;
  tokens_.widen(region.loc);
  region.body = block();
  return region;
}

ast::Require StatementParser::require() {
  ast::Require require{tokens_.loc(tokens_.take()), expressions_.expression(), {}};
  if (tokens_.accept(",")) {
    if (tokens_.peek().kind != TokenKind::text)
      tokens_.fail(tokens_.peek(), "expected the message of `require` in quotes");
    require.message = tokens_.take().text;
  }
  return require;
}

ast::Pipeline StatementParser::pipeline() {
  ast::Pipeline pipeline{tokens_.loc(tokens_.take()), {}, {}};
  if (!tokens_.is("{")) {
    do pipeline.grid.push_back(definitions_.loop_variable(true));
    while (tokens_.accept(","));
  }
  tokens_.widen(pipeline.loc);
  pipeline.body = block();
  return pipeline;
}

ast::Grid StatementParser::grid() {
  return {tokens_.loc(tokens_.take()), definitions_.loop_variable(true)};
}

ast::Window StatementParser::window() {
  Loc loc = tokens_.loc(tokens_.take());
  const Token name = tokens_.new_name("the window's name");
  tokens_.expect("=", "and the slice that the window shows");
  ast::Window window{std::move(loc), name.text, expressions_.postfix(), {}};
  while (!tokens_.peek().line_before && tokens_.peek().kind == TokenKind::name) {
    window.attributes.push_back(window_attribute());
    tokens_.accept(",");
  }
  return window;
}

ast::WindowAttribute StatementParser::window_attribute() {
  using Kind = ast::WindowAttribute::Kind;
  const Loc loc = tokens_.loc(tokens_.peek());
  if (tokens_.accept("depth")) return {loc, Kind::depth, expressions_.expression()};
  if (tokens_.accept("pad")) return {loc, Kind::pad, expressions_.expression()};
  if (tokens_.accept("when")) return {loc, Kind::when, expressions_.expression()};
  if (!tokens_.is("update")) tokens_.fail(tokens_.take(), "expected depth, pad, when or update");
  tokens_.take();
  ast::WindowAttribute update{loc, Kind::update, {}};
  if (tokens_.accept_here("when")) update.value = expressions_.expression();
  return update;
}

// `return x`, or entries `name = x` and `name(i) = x`, one per line until the end of the block.
StatementParser::Form StatementParser::returns() {
  Loc loc = tokens_.loc(tokens_.take());
  const auto entry_starts = [&] {
    return definitions_.is_function() ||
           (tokens_.peek().kind == TokenKind::name && tokens_.is("=", 1));
  };
  if (!entry_starts()) return ast::Return{std::move(loc), expressions_.expression()};
  ast::ReturnNamed named{std::move(loc), {}};
  while (entry_starts()) {
    named.entries.push_back(definitions_.definition());
    if (!tokens_.is("}")) end_statement();
  }
  return named;
}

StatementParser::Form StatementParser::assignment_or_call() {
  const Token first = tokens_.peek();
  ast::Expression target = expressions_.postfix();
  for (const std::string_view symbol : {"=", "+=", "-=", "*=", "/="})
    if (tokens_.is(symbol)) return assignment(first, std::move(target));
  refuse_foreign(first, target);
  if (!target.as<ast::Call>() && !target.as<ast::MemberCall>())
    tokens_.fail(tokens_.peek(),
                 "expected a statement: `=`, `+=`, `-=`, `*=` or `/=` after a name, or a call");
  return ast::CallStatement{tokens_.loc(first), std::move(target)};
}

StatementParser::Form StatementParser::assignment(const Token& first, ast::Expression target) {
  if (tokens_.peek().line_before)
    tokens_.fail(tokens_.peek(), "expected an assignment on one line");
  std::optional<ast::Operator> op;
  if (tokens_.accept("+="))
    op = ast::Operator::add;
  else if (tokens_.accept("-="))
    op = ast::Operator::subtract;
  else if (tokens_.accept("*="))
    op = ast::Operator::multiply;
  else if (tokens_.accept("/="))
    op = ast::Operator::divide;
  else
    tokens_.take();  // =
  const auto* name = target.as<ast::Name>();
  if (name != nullptr && !op) {
    tokens_.refuse_place(first);
    if (tokens_.is("start")) return transfers_.start(name->name);
    return ast::Definition{tokens_.loc(first), name->name, {}, expressions_.range_or_count()};
  }
  return ast::Assignment{tokens_.loc(first), op, std::move(target), expressions_.expression()};
}

// `start = 0`: otherwise `=` would be parsed as the source of a copy.
void StatementParser::refuse_statement_word() {
  const Token& token = tokens_.peek();
  if (tokens_.is("=", 1) && begins_statement(token.text))
    tokens_.fail(token, "expected a name to assign to other than a word that begins a statement");
}

// Reports forms of other languages.
void StatementParser::refuse_foreign(const Token& first, const ast::Expression& target) {
  if (!target.as<ast::Name>() && !target.as<ast::Call>()) return;
  const auto instead = [&](std::string_view what) {
    tokens_.report(tokens_.loc(first), std::string(what));
    throw TokenReader::SyntaxError{};
  };
  const bool is_name_next = tokens_.peek().kind == TokenKind::name && !tokens_.peek().line_before;
  if (is_name_next && begins_definition(word_of(target)))
    instead(fmt::format("expected a definition, as in `{0} = ...`, found `{1} {0}`",
                        tokens_.peek().text, word_of(target)));
  if (word_of(target) == "elif") instead("expected the block of an `if` before `elif`");
}

}  // namespace tessera
