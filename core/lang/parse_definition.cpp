#include "core/lang/parse_definition.h"

#include <fmt/format.h>

namespace tessera {

// `name(a, b) = ...`: a scalar function of its parameters; with `i in n`, an array.
bool DefinitionParser::is_function() const {
  if (tokens_.peek().kind != TokenKind::name || !tokens_.is("(", 1) || tokens_.peek(1).space_before)
    return false;
  int depth = 0;
  for (int i = 1; tokens_.peek(i).kind != TokenKind::end; ++i) {
    if (tokens_.is("(", i)) ++depth;
    if (tokens_.is(")", i) && --depth == 0)
      return tokens_.is("=", i + 1) && !tokens_.peek(i + 1).line_before;
  }
  return false;
}

ast::Definition DefinitionParser::definition() {
  const Token name = tokens_.new_name("a name");
  ast::Definition definition{tokens_.loc(name), name.text, {}, {}};
  if (tokens_.accept("(")) {
    do {
      if (tokens_.is("in", 1)) {
        definition.parameters.emplace_back(loop_variable(false));
      } else {
        const Token parameter = tokens_.new_name("a parameter's name");
        definition.parameters.emplace_back(ast::Name{tokens_.loc(parameter), parameter.text});
      }
    } while (tokens_.accept(","));
    tokens_.expect(")", "after the parameters");
  }
  tokens_.expect("=", fmt::format("and the value of `{}`", name.text));
  definition.value = expressions_.range_or_count();
  return definition;
}

ast::LoopVariable DefinitionParser::loop_variable(bool is_loop) {
  if (is_loop && tokens_.is("("))
    tokens_.fail(tokens_.peek(), "expected a loop variable, as in `for q in 0 .. n { }`");
  const Token name = tokens_.new_name("a loop variable");
  tokens_.expect("in", fmt::format("and the range of `{}`", name.text));
  ast::LoopVariable variable{
      tokens_.loc(name), name.text, expressions_.range_or_count(), {}, false};
  if (tokens_.is("step") && !tokens_.peek().line_before) {
    if (!is_loop)
      tokens_.fail(tokens_.peek(),
                   "an array has an element for each number; expected a range without a step");
    tokens_.take();
    variable.step = expressions_.expression();
  }
  variable.is_parallel = is_loop && tokens_.accept("parallel");
  return variable;
}

}  // namespace tessera
