// Text to tokens. Comments are skipped here; a token remembers whether a line break or a space
// stands before it.
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
  std::string text;  // a text token's without quotes
  std::int64_t integer = 0;
  double real = 0;
  int line = 1;
  int column = 1;
  int width = 1;
  bool line_before = true;  // first on its line
  bool space_before = false;
  bool space_after = false;
};

// Errors (a character the language does not use, an open string, a number too large) are appended
// to diags. Lines that begin with `#` are no tokens; with `lines`, they are read into it.
std::vector<Token> lex(const std::shared_ptr<const Source>& source, Diags& diags,
                       LineMap* lines = nullptr);

}  // namespace tessera
