// Lexer. Comments are skipped; a token records whether it follows a line break or a space.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/lang/line_map.h"
#include "core/report/diag.h"

namespace tessera {

enum class TokenKind : std::uint8_t { name, integer, real, text, symbol, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;  // without quotes if the token is a text
  std::int64_t integer = 0;
  double real = 0;
  int line = 1;             // from 1
  int column = 1;           // from 1, in bytes of the line
  int width = 1;            // in bytes
  bool line_before = true;  // first token of its line
  bool space_before = false;
  bool space_after = false;
};

// Returns the tokens of the text, with a token of kind `end` as the last. Appends lexical errors,
// for example an unterminated string, to diags and continues. Lines that begin with `#`, also after
// blanks, are not tokens; if `lines` is not null, they are read into it. `source` must not be null.
std::vector<Token> lex(const std::shared_ptr<const Source>& source, Diags& diags,
                       LineMap* lines = nullptr);

}  // namespace tessera
