// Parser for definitions of values, functions and arrays, and for loop variables.
#pragma once
#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class DefinitionParser {
 public:
  DefinitionParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // True if a definition with parameters, `name(...) =`, begins at the next token. Reads no token.
  bool is_function() const;
  ast::Definition definition();
  // Parses `name in range`. is_loop: a step and `parallel` are allowed.
  ast::LoopVariable loop_variable(bool is_loop);

 private:
  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
