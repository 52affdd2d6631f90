// Names that a program gives: to values, functions and arrays, and to the variables of loops.
#pragma once
#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class DefinitionParser {
 public:
  DefinitionParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // Whether a definition with parameters begins here.
  bool is_function() const;
  ast::Definition definition();
  // is_loop: it may have a step, and be parallel.
  ast::LoopVariable loop_variable(bool is_loop);

 private:
  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
