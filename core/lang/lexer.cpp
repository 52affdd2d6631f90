#include "core/lang/lexer.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace tessera {
namespace {

constexpr std::array<std::string_view, 11> two_character_symbols = {
    "..", "+:", "->", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/="};
// Operator of another language, the operator that replaces it, and the message if there is no
// equivalent operator.
struct ForeignOperator {
  std::string_view theirs, ours, instead;
};
constexpr std::string_view no_power =
    "there is no operator for powers; expected `x * x` for a square, or `pow(x, n)` for reals and "
    "tiles";
constexpr std::string_view no_shift =
    "there is no operator for shifts; expected `shift_left(x, n)` or `shift_right(x, n)`";
constexpr std::string_view no_bits =
    "there are no operators on bits; expected `and` and `or` for conditions, `bit_and(a, b)` and "
    "`bit_or(a, b)` for bits";
constexpr std::array<ForeignOperator, 11> foreign_operators = {
    {{"@", ".", "the matrix product is `a . b`"},
     {"&&", "and", ""},
     {"||", "or", ""},
     {"!", "not", ""},
     {"%", "mod", ""},
     {"**", "*", no_power},
     {"^", "*", no_power},
     {"<<", "*", no_shift},
     {">>", "/", no_shift},
     {"&", "and", no_bits},
     {"|", "or", no_bits}}};
constexpr std::string_view symbols = "()[]{},;:=+-*/<>?.";

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(const std::shared_ptr<const Source>& source, Diags& diags, LineMap* lines)
      : source_(source), text_(source->text), diags_(diags), lines_(lines) {}

  std::vector<Token> run() {
    while (skip_blanks(), at_ < text_.size()) {
      const std::size_t begin = at_;
      Token token = next();
      token.line = line_;
      token.column = static_cast<int>(begin - line_start_) + 1;
      token.width = static_cast<int>(at_ - begin);
      token.line_before = line_before_;
      token.space_before = space_before_;
      token.space_after =
          at_ >= text_.size() || std::isspace(static_cast<unsigned char>(text_[at_])) != 0;
      if (token.kind != TokenKind::end) tokens_.push_back(std::move(token));
      line_before_ = space_before_ = false;
    }
    Token end;
    end.line = line_;
    end.column = static_cast<int>(at_ - line_start_) + 1;
    tokens_.push_back(end);
    return std::move(tokens_);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        ++line_;
        line_start_ = at_;
        line_before_ = space_before_ = true;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
        space_before_ = true;
      } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '#' && line_before_) {
        skip_directive();
      } else {
        return;
      }
    }
  }

  // Skips a directive line; blanks before the `#` are allowed.
  void skip_directive() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    if (lines_ != nullptr)
      lines_->read(source_, text_.substr(line_start_, at_ - line_start_), line_, diags_);
  }

  Token next() {
    const char c = text_[at_];
    if (is_name_start(c)) return take_name();
    if (is_digit(c)) return take_number();
    if (c == '"') return take_text();
    return take_symbol();
  }

  Token take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return {.kind = TokenKind::name, .text = std::string(text_.substr(begin, at_ - begin))};
  }

  // A dot is part of a number only if a digit follows: `0 .. 3` and `0..3` are ranges.
  Token take_number() {
    const std::size_t begin = at_;
    bool is_real = false;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      is_real = true;
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t digits = at_ + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
      if (digits < text_.size() && is_digit(text_[digits])) {
        is_real = true;
        at_ = digits;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      }
    }
    Token token{.kind = is_real ? TokenKind::real : TokenKind::integer,
                .text = std::string(text_.substr(begin, at_ - begin))};
    const char* first = token.text.data();
    const char* last = first + token.text.size();
    const auto parsed = is_real ? std::from_chars(first, last, token.real).ec
                                : std::from_chars(first, last, token.integer).ec;
    if (parsed != std::errc{}) fail(begin, fmt::format("number {} does not fit", token.text));
    return token;
  }

  Token take_text() {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() &&
          (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\'))
        ++at_;
      value += text_[at_++];
    }
    if (at_ < text_.size() && text_[at_] == '"')
      ++at_;
    else
      fail(begin, "this text has no closing quote on its line");
    return {.kind = TokenKind::text, .text = value};
  }

  // Skips and reports a comment of another language.
  bool skip_foreign_comment() {
    const bool is_block = text_.substr(at_).starts_with("/*");
    if (!is_block && text_[at_] != '#') return false;
    const std::size_t begin = at_;
    const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
    const std::size_t close = is_block ? text_.find("*/", at_ + 2) : line_end;
    at_ += is_block ? 2 : 1;
    fail(begin, fmt::format("unexpected `{}`: a comment begins with `//`",
                            text_.substr(begin, at_ - begin)));
    at_ = is_block && close < line_end ? close + 2 : line_end;
    return true;
  }

  // Reports an operator of another language and reads it as the corresponding operator.
  std::optional<Token> take_foreign() {
    for (const auto& [theirs, ours, instead] : foreign_operators)
      if (text_.substr(at_).starts_with(theirs)) {
        const std::size_t begin = at_;
        at_ += theirs.size();
        fail(begin, instead.empty() ? fmt::format("unexpected `{}`, expected `{}`", theirs, ours)
                                    : fmt::format("unexpected `{}`: {}", theirs, instead));
        const bool is_word = is_name_start(ours[0]);
        return Token{.kind = is_word ? TokenKind::name : TokenKind::symbol,
                     .text = std::string(ours)};
      }
    return std::nullopt;
  }

  Token take_symbol() {
    const std::size_t begin = at_;
    for (std::string_view s : two_character_symbols)
      if (text_.substr(at_, 2) == s) {
        at_ += 2;
        return {.kind = TokenKind::symbol, .text = std::string(s)};
      }
    if (auto token = take_foreign()) return *token;
    if (skip_foreign_comment()) return {};
    ++at_;
    if (symbols.find(text_[begin]) == std::string_view::npos) {
      while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0U) == 0x80U)
        ++at_;  // rest of a UTF-8 character
      fail(begin, fmt::format("unexpected character `{}`", text_.substr(begin, at_ - begin)));
      return {};
    }
    return {.kind = TokenKind::symbol, .text = std::string(1, text_[begin])};
  }

  void fail(std::size_t begin, std::string message) {
    const Loc loc{source_, line_, static_cast<int>(begin - line_start_) + 1,
                  static_cast<int>(at_ - begin)};
    diags_.push_back({ErrorCode::invalid_value, loc, std::move(message), {}});
  }

  const std::shared_ptr<const Source>& source_;
  std::string_view text_;
  Diags& diags_;
  LineMap* lines_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  bool line_before_ = true, space_before_ = true;
};

}  // namespace

std::vector<Token> lex(const std::shared_ptr<const Source>& source, Diags& diags, LineMap* lines) {
  return Lexer(source, diags, lines).run();
}

}  // namespace tessera
