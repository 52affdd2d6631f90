// Postfix forms of expressions: indices, members, the type of a view.
#include <algorithm>
#include <utility>

#include "core/lang/parse_expression.h"

namespace tessera {

using ast::Expression;

Expression ExpressionParser::postfix() {
  Expression expression = primary();
  while (true) {
    const Token& next = tokens_.peek();
    if (tokens_.is("[") && !next.line_before)
      expression = index(std::move(expression));
    else if (tokens_.is(".") && !next.space_before && !next.space_after)
      expression = member(std::move(expression));
    else
      return expression;
  }
}

Expression ExpressionParser::index(Expression base) {
  tokens_.take();
  Loc loc = base.loc();
  int height = base.height + 1;
  std::vector<ast::Item> items;
  {
    const TokenReader::Brackets brackets(tokens_);
    do items.push_back(item(height));
    while (tokens_.accept(","));
    tokens_.expect("]", "after the index");
  }
  tokens_.widen(loc);
  return chained({ast::Index{std::move(loc), child(std::move(base)), std::move(items)}, height});
}

// Raises the height of the enclosing index expression.
ast::Item ExpressionParser::item(int& height) {
  const Token token = tokens_.peek();
  const auto raise = [&](int to) { height = std::max(height, to); };
  if (tokens_.accept(":")) {
    if (!tokens_.is(",") && !tokens_.is("]"))
      tokens_.fail(tokens_.peek(),
                   "`:` selects a whole dimension, and `a .. b` or `a +: n` a part; expected `]` "
                   "or `,` after `:`");
    raise(2);
    return {ast::WholeDimension{tokens_.loc(token)}};
  }
  Expression first = range_or_count();
  if (tokens_.is(":"))
    tokens_.fail(tokens_.peek(), "expected `..` before the end of a part, or `+:` before its size");
  if (tokens_.is("step")) {
    tokens_.take();
    Expression step = expression();
    raise(std::max(first.height, step.height) + 2);
    Loc loc = tokens_.loc(token);
    tokens_.widen(loc);
    return {ast::Stepped{std::move(loc), child(std::move(first)), child(std::move(step))}};
  }
  if (!tokens_.is("+:")) {
    raise(first.height + 1);
    return {child(std::move(first))};
  }
  tokens_.take();
  Expression size = expression();
  raise(std::max(first.height, size.height) + 2);
  Loc loc = tokens_.loc(token);
  tokens_.widen(loc);
  return {ast::Span{std::move(loc), child(std::move(first)), child(std::move(size))}};
}

Expression ExpressionParser::member(Expression base) {
  tokens_.take();
  const Token name = tokens_.expect_name("a member's name after `.`");
  Loc loc = base.loc();
  tokens_.widen(loc);
  const int height = base.height + 1;
  Expression member =
      chained({ast::Member{std::move(loc), child(std::move(base)), name.text}, height});
  if (!tokens_.is("(") || tokens_.peek().line_before) return member;
  std::vector<Expression> given = arguments();
  Loc whole = member.loc();
  tokens_.widen(whole);
  const int over = std::max(member.height + 1, height_over(given));
  return {ast::MemberCall{std::move(whole), child(std::move(member)), std::move(given)}, over};
}

// view(memory) as type[extents]
Expression ExpressionParser::view_as(Expression view) {
  tokens_.take();
  Loc loc = view.loc();
  Expression type = primary();
  std::vector<Expression> extents;
  if (tokens_.is("[") && !tokens_.peek().line_before) {
    tokens_.take();
    const TokenReader::Brackets brackets(tokens_);
    extents = list();
    tokens_.expect("]", "after the extents of the view");
  }
  tokens_.widen(loc);
  const int height = 1 + std::max({view.height, type.height, height_over(extents)});
  return chained({ast::ViewAs{std::move(loc), child(std::move(view)), child(std::move(type)),
                              std::move(extents)},
                  height});
}

}  // namespace tessera
