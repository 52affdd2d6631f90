// Parser for files: kernels and functions.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/lang/ast.h"
#include "core/lang/parse_declaration.h"
#include "core/lang/parse_expression.h"
#include "core/lang/parse_statement.h"
#include "core/lang/token_reader.h"
#include "core/report/lines.h"

namespace tessera {

class FileParser {
 public:
  // tokens: the result of lex(). diags: receives the errors; must outlive this object.
  FileParser(const std::shared_ptr<const Source>& source, std::vector<Token> tokens, Diags& diags)
      : lines_(source->text), tokens_(source, std::move(tokens), diags) {}

  // Parses the file. A kernel or function with a syntax error outside its statements is skipped.
  // The version is not checked. Must be called only once.
  ast::File file();

 private:
  // Throw TokenReader::SyntaxError. The word `kernel` or `function` must be the next token.
  ast::Kernel kernel();
  ast::Function function();
  // Returns the comment lines directly above `line` (from 1), without their slashes; may be empty.
  std::string doc_above(int line) const;

  Lines lines_;
  TokenReader tokens_;
  ExpressionParser expressions_{tokens_};
  DeclarationParser declarations_{tokens_, expressions_};
  StatementParser statements_{tokens_, expressions_, declarations_};
};

}  // namespace tessera
