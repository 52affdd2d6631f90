// The tokens of a file, one after the other, for the parsers: what comes next, what is expected,
// and what is wrong.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/lang/lexer.h"

namespace tessera {

class TokenReader {
 public:
  // A syntax error unwinds to the statement or declaration it stands in, which is then skipped.
  struct SyntaxError {};

  // Diagnostics are appended to `diags`, which must outlive the reader.
  TokenReader(std::shared_ptr<const Source> source, std::vector<Token> tokens, Diags& diags)
      : source_(std::move(source)), tokens_(std::move(tokens)), diags_(diags) {}

  const Token& peek(int ahead = 0) const;
  Token take();
  bool at_end() const { return peek().kind == TokenKind::end; }
  bool is(std::string_view text, int ahead = 0) const;
  bool continues(std::string_view text) const;  // is(text), on the same line or inside brackets
  bool accept(std::string_view text);
  bool accept_here(std::string_view text);  // the same if it continues the statement
  Token expect(std::string_view text, std::string_view after);
  Token expect_name(std::string_view what);
  Token new_name(std::string_view what);  // one that the program gives
  void refuse_place(const Token& name);   // given to what says where the program runs
  void refuse_word(const Token& name);    // given to a function: it would be called instead

  Loc loc(const Token& token) const;
  // Widens a place to the end of the last token taken, if that is on its line.
  void widen(Loc& loc) const;

  // "message, found `token`", and SyntaxError.
  [[noreturn]] void fail(const Token& token, std::string_view message);
  void report(const Loc& loc, std::string message);

  // Inside ( or [, where a line break ends nothing.
  class Brackets {
   public:
    explicit Brackets(TokenReader& reader) : reader_(reader) { ++reader_.nesting_; }
    ~Brackets() { --reader_.nesting_; }
    Brackets(const Brackets&) = delete;
    Brackets& operator=(const Brackets&) = delete;

   private:
    TokenReader& reader_;
  };

  // Inside { }, where it ends a statement again.
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

  // Trees are walked by recursion: how deep they may be is limited while they are made. A level is
  // a bracket, a block or a prefix.
  class Level {
   public:
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
  int nesting_ = 0;  // open ( and [
  int levels_ = 0;
};

}  // namespace tessera
