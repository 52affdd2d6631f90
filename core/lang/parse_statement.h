// Parser for statements. A statement ends at the end of its line, at `;` or at the `}` of its
// block.
#pragma once
#include <utility>
#include <vector>

#include "core/lang/ast.h"
#include "core/lang/parse_debug.h"
#include "core/lang/parse_declaration.h"
#include "core/lang/parse_definition.h"
#include "core/lang/parse_expression.h"
#include "core/lang/parse_transfer.h"
#include "core/lang/token_reader.h"

namespace tessera {

class StatementParser {
 public:
  // The arguments must outlive this object.
  StatementParser(TokenReader& tokens, ExpressionParser& expressions,
                  DeclarationParser& declarations)
      : tokens_(tokens),
        expressions_(expressions),
        declarations_(declarations),
        definitions_(tokens, expressions),
        transfers_(tokens, expressions),
        debug_(tokens, expressions) {}

  // Parses a block in braces. A statement with a syntax error is reported and skipped. Throws
  // TokenReader::SyntaxError for the braces.
  ast::Block block();

 private:
  using Form = ast::Statement::Form;
  // The parsing functions throw TokenReader::SyntaxError. Those for one form, for_loop() to
  // opaque(), require its first word as the next token.
  void statement(ast::Block& into);  // appends the statement, or several for `const`
  Form simple();                     // statement without a block
  ast::For for_loop();
  ast::While while_loop();
  ast::If if_else();
  ast::TraceRegion trace();
  ast::Require require();
  ast::Pipeline pipeline();
  ast::Grid grid();
  ast::Window window();
  ast::WindowAttribute window_attribute();
  Form returns();
  ast::ScopedDeclaration scoped();
  ast::Operate operate();
  ast::Opaque opaque();
  void constants(ast::Block& into);  // appends the definitions of a `const`
  Form assignment_or_call();
  Form assignment(const Token& first, ast::Expression target);
  bool operates() const;         // true if `alloc`, `free`, `fresh` or `once` of a name follows
  void refuse_statement_word();  // assignment to a statement word
  // Reports a form of another language that begins with the token `first`, and throws.
  void refuse_foreign(const Token& first, const ast::Expression& target);
  void end_statement();   // takes a `;`; fails if the statement does not end here
  void skip_statement();  // after an error: to the next line, or to the end of the block

  TokenReader& tokens_;
  ExpressionParser& expressions_;
  DeclarationParser& declarations_;
  DefinitionParser definitions_;
  TransferParser transfers_;
  DebugParser debug_;
};

}  // namespace tessera
