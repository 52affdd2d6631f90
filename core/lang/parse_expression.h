// Parser for expressions, by rising precedence: `?:`, or, and, not, comparisons, `max` (a bound),
// + -, * / mod, the matrix product ` . `, prefix, postfix.
#pragma once
#include <vector>

#include "core/lang/ast_expression.h"
#include "core/lang/token_reader.h"

namespace tessera {

class ExpressionParser {
 public:
  // The argument must outlive this object. The functions report syntax errors and throw
  // TokenReader::SyntaxError.
  explicit ExpressionParser(TokenReader& tokens) : tokens_(tokens) {}

  ast::Expression expression();
  // Parses `a .. b`, or a value: a range variable, or a count n, which means 0 .. n.
  ast::Expression range_or_count();
  // Parses a name, a call or an expression in parentheses, followed by indices and members.
  ast::Expression postfix();
  // Parses a literal, a name, a call, `view(...) as type` or an expression in parentheses.
  ast::Expression primary();
  // Parses at least one expression; separated by commas.
  std::vector<ast::Expression> list();

 private:
  using Operand = ast::Expression (ExpressionParser::*)();

  // in order of rising precedence
  ast::Expression disjunction();
  ast::Expression conjunction();
  ast::Expression negation();
  ast::Expression comparison();
  ast::Expression limit();
  ast::Expression sum();
  ast::Expression product();
  ast::Expression contraction();
  ast::Expression prefix();

  ast::Expression index(ast::Expression base);
  ast::Expression member(ast::Expression base);
  ast::Expression view_as(ast::Expression view);
  // Parses one item of an index; raises `height` to the height that the index needs for it.
  ast::Item item(int& height);
  std::vector<ast::Expression> arguments();
  ast::Expression argument();
  // Takes the operator, which must be the next token, and parses the right side with `right`.
  ast::Expression binary(ast::Operator op, ast::Expression left, Operand right);
  static ast::Child child(ast::Expression expression);
  // Returns the height of a node over the parts: 1 if there are none.
  static int height_over(const std::vector<ast::Expression>& parts);
  ast::Expression chained(ast::Expression expression);  // fails if the chain is too long

  TokenReader& tokens_;
};

}  // namespace tessera
