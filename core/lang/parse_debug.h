// Parser for debug statements: print, assert, breakpoint.
#pragma once
#include <string_view>

#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class DebugParser {
 public:
  // The arguments must outlive this object. The functions report syntax errors and throw
  // TokenReader::SyntaxError.
  DebugParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // For each function, the statement's first word must be the next token.
  ast::Print print();
  ast::Assert assertion();
  ast::Breakpoint breakpoint();

 private:
  // If the next token does not continue the statement, reports an error at `loc` and throws
  // SyntaxError. what: the message.
  void expect_on_line(const Loc& loc, std::string_view what);

  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
