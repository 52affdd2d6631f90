// Parser for declarations of memory and semaphores, and for parameters.
#pragma once
#include <vector>

#include "core/lang/ast.h"
#include "core/lang/parse_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class DeclarationParser {
 public:
  // The arguments must outlive this object. The functions report syntax errors and throw
  // TokenReader::SyntaxError.
  DeclarationParser(TokenReader& tokens, ExpressionParser& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  // Parses all declarations, maybe none, before the block of a kernel or function. The next token
  // after them must be `{`, which is not taken.
  std::vector<ast::Declaration> declarations();
  ast::Declaration declaration();
  // Parses `[T, U: f32 bf16]`; the next token must be the bracket.
  std::vector<ast::TypeParameter> type_parameters();
  // Parses `(problem parameters; tuning parameters)`. Parameters of a function are scalars and refs
  // `name: T[dims]`; their semicolon has no meaning.
  std::vector<ast::Parameter> parameters(bool of_kernel);

 private:
  // For each function, the first word of its form must be the next token, unless stated otherwise.
  ast::Declaration operand();
  ast::Declaration scratch(bool is_scoped);
  ast::Declaration semaphore(bool is_scoped);
  ast::Declaration conditional();
  std::vector<ast::Declaration> group();  // declarations in braces
  ast::TypeParameter type_parameter();
  ast::Parameter parameter(bool of_kernel, bool is_tuning);
  ast::Type type();
  std::optional<ast::StorageOrder> storage_order();  // none if it does not follow on this line
  bool may_be_unread();  // takes the word if it follows on this line; true: taken
  bool starts() const;   // true if the next token begins a declaration
  ast::Declaration mesh();

  TokenReader& tokens_;
  ExpressionParser& expressions_;
};

}  // namespace tessera
