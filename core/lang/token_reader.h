// Token stream of a file for the parsers: lookahead, expected tokens and error reports.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/lang/lexer.h"

namespace tessera {

class TokenReader {
 public:
  // Thrown by a syntax error and caught by the enclosing statement or declaration, which is then
  // skipped.
  struct SyntaxError {};

  // Diagnostics are appended to `diags`, which must outlive this object.
  TokenReader(std::shared_ptr<const Source> source, std::vector<Token> tokens, Diags& diags)
      : source_(std::move(source)), tokens_(std::move(tokens)), diags_(diags) {}

  // Return the next token, or the one `ahead` (at least 0) tokens after it; after the last one: the
  // end token. take() also moves on. tokens must not be empty.
  const Token& peek(int ahead = 0) const;
  Token take();
  bool at_end() const { return peek().kind == TokenKind::end; }
  // True if the token is a name or symbol with this text. accept() also takes it.
  bool is(std::string_view text, int ahead = 0) const;
  bool continues(std::string_view text) const;  // is(text), on the same line or in brackets
  bool accept(std::string_view text);
  bool accept_here(std::string_view text);  // accept(text) if the token continues the statement
  // Take a token that must have this text, or must be a name; any other is a syntax error. after:
  // end of the message; what: the expected name, for the message.
  Token expect(std::string_view text, std::string_view after);
  Token expect_name(std::string_view what);
  Token new_name(std::string_view what);  // expect_name() and refuse_place(), for a definition
  // Reports a name that is a number or a place: inf, device, core. Does not throw.
  void refuse_place(const Token& name);
  // Reports a function name that is a word of the language, which would be called instead. Does not
  // throw.
  void refuse_word(const Token& name);

  Loc loc(const Token& token) const;
  // Extends a location to the end of the last token, if it is on the same line.
  void widen(Loc& loc) const;

  // Reports "message, found `token`" and throws SyntaxError.
  [[noreturn]] void fail(const Token& token, std::string_view message);
  // Adds an error; does not throw.
  void report(const Loc& loc, std::string message);

  // Scope inside ( or [, where a line break does not end a statement.
  class Brackets {
   public:
    explicit Brackets(TokenReader& reader) : reader_(reader) { ++reader_.nesting_; }
    ~Brackets() { --reader_.nesting_; }
    Brackets(const Brackets&) = delete;
    Brackets& operator=(const Brackets&) = delete;

   private:
    TokenReader& reader_;
  };

  // Scope inside { }, where a line break ends a statement.
  class Braces {
   public:
    explicit Braces(TokenReader& reader) : reader_(reader), outer_(reader.nesting_) {
      reader_.nesting_ = 0;
    }
    ~Braces() { reader_.nesting_ = outer_; }
    Braces(const Braces&) = delete;
    Braces& operator=(const Braces&) = delete;

   private:
    TokenReader& reader_;
    int outer_;
  };

  // Limits the nesting depth during parsing, since trees are traversed recursively. A level is a
  // bracket, a block or a prefix.
  class Level {
   public:
    // Reports an error and throws SyntaxError beyond 200 levels, or if too little stack is left.
    explicit Level(TokenReader& reader);
    ~Level() { --reader_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TokenReader& reader_;
  };

 private:
  std::shared_ptr<const Source> source_;
  std::vector<Token> tokens_;
  Diags& diags_;
  std::size_t at_ = 0;
  int nesting_ = 0;  // number of open ( and [
  int levels_ = 0;
};

}  // namespace tessera
