// Parser for statements that move data or count on semaphores.
#pragma once
#include <string>

#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class TransferParser {
 public:
  // The arguments must outlive this object. The functions report syntax errors and throw
  // TokenReader::SyntaxError.
  TransferParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // For each function, the statement's first word must be the next token.
  //
  // Parses a copy to this core or to another one. name: name of the copy; empty: none.
  ast::Statement::Form start(std::string name = {});
  ast::Copy copy();
  ast::Statement::Form wait();  // for a count, a slice or a named copy; also await
  ast::Signal signal();

 private:
  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
