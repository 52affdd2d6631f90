// Statements that move data and that count on semaphores.
#pragma once
#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class TransferParser {
 public:
  TransferParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // The word of each is the next token.
  ast::Statement::Form start();  // on this core or to another one
  ast::Copy copy();
  ast::Statement::Form wait();  // for a count or for a slice; also await
  ast::Signal signal();

 private:
  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
