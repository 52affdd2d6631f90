// Statements that move data and that count on semaphores.
#pragma once
#include <string>

#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class TransferParser {
 public:
  TransferParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // The word of each is the next token.
  // On this core or to another one; the copy may have a name.
  ast::Statement::Form start(std::string name = {});
  ast::Copy copy();
  ast::Statement::Form wait();  // for a count, a slice or a copy with a name; also await
  ast::Signal signal();

 private:
  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
