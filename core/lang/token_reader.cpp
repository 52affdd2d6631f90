#include "core/lang/token_reader.h"

#include <fmt/format.h>

#include "core/host/stack_room.h"
#include "core/lang/words.h"

namespace tessera {
namespace {

constexpr int max_levels = 200;
// Stack in bytes for the passes after the parser, which need less stack per level.
constexpr std::size_t stack_reserve = std::size_t{96} << 10;

}  // namespace

const Token& TokenReader::peek(int ahead) const {
  const std::size_t i = at_ + static_cast<std::size_t>(ahead);
  return tokens_[i < tokens_.size() ? i : tokens_.size() - 1];
}

Token TokenReader::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenReader::is(std::string_view text, int ahead) const {
  const Token& t = peek(ahead);
  return (t.kind == TokenKind::symbol || t.kind == TokenKind::name) && t.text == text;
}

bool TokenReader::continues(std::string_view text) const {
  return is(text) && (nesting_ > 0 || !peek().line_before);
}

bool TokenReader::accept(std::string_view text) {
  if (!is(text)) return false;
  take();
  return true;
}

bool TokenReader::accept_here(std::string_view text) { return continues(text) && accept(text); }

Token TokenReader::expect(std::string_view text, std::string_view after) {
  if (is(text)) return take();
  const std::string message = fmt::format("expected `{}` {}", text, after);
  const bool is_at_end = nesting_ == 0 && at_ > 0 && peek().line_before;
  if (!is_at_end) fail(peek(), message);
  // The missing token is reported at the end of the previous line, not at the beginning of the next
  // one.
  report(loc(tokens_[at_ - 1]), message + ", found the end of the line");
  throw SyntaxError{};
}

Token TokenReader::expect_name(std::string_view what) {
  if (peek().kind != TokenKind::name) fail(peek(), fmt::format("expected {}", what));
  return take();
}

Token TokenReader::new_name(std::string_view what) {
  const Token name = expect_name(what);
  refuse_place(name);
  return name;
}

void TokenReader::refuse_place(const Token& name) {
  if (name.text == "inf") report(loc(name), "`inf` is the number; expected another name");
  for (const std::string_view place : {"device", "devices", "core", "cores"}) {
    if (name.text == place)
      report(loc(name),
             fmt::format("`{}` describes where the program runs; expected another name", place));
  }
}

void TokenReader::refuse_word(const Token& name) {
  if (is_word(name.text))
    report(loc(name), fmt::format("`{}` is a word of the language; expected another name for a "
                                  "function",
                                  name.text));
}

Loc TokenReader::loc(const Token& token) const {
  return {source_, token.line, token.column, token.width};
}

void TokenReader::widen(Loc& loc) const {
  const Token& last = tokens_[at_ > 0 ? at_ - 1 : 0];
  if (last.line == loc.line && last.column + last.width > loc.column)
    loc.width = last.column + last.width - loc.column;
}

void TokenReader::fail(const Token& token, std::string_view message) {
  const std::string found =
      token.kind == TokenKind::end ? "the end of the file" : fmt::format("`{}`", token.text);
  report(loc(token), fmt::format("{}, found {}", message, found));
  throw SyntaxError{};
}

void TokenReader::report(const Loc& loc, std::string message) {
  diags_.push_back({ErrorCode::invalid_value, loc, std::move(message), {}});
}

TokenReader::Level::Level(TokenReader& reader) : reader_(reader) {
  const bool has_room = stack_left() >= stack_reserve;
  if (has_room && ++reader_.levels_ <= max_levels) return;
  if (has_room) --reader_.levels_;
  const int levels = has_room ? max_levels : reader_.levels_;
  reader_.fail(reader_.peek(), fmt::format("expected at most {} levels of nesting{}", levels,
                                           has_room ? "" : ", the limit for this thread's stack"));
}

}  // namespace tessera
