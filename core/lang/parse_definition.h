// Parser for definitions of values, functions and arrays, and for loop variables.
#pragma once
#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class DefinitionParser {
 public:
  // The arguments must outlive this object. The functions report syntax errors and throw
  // TokenReader::SyntaxError.
  DefinitionParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // True if a definition with parameters, `name(...) =`, begins at the next token. Reads no token.
  bool is_function() const;
  // Parses `name = value` or `name(...) = value`.
  ast::Definition definition();
  // Parses `name in range`. is_loop: a step and `parallel` are allowed.
  ast::LoopVariable loop_variable(bool is_loop);

 private:
  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
