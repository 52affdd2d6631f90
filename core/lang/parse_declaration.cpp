#include "core/lang/parse_declaration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/data/dtype_info.h"

namespace tessera {

std::vector<ast::TypeParameter> DeclarationParser::type_parameters() {
  tokens_.take();
  const TokenReader::Brackets brackets(tokens_);
  std::vector<ast::TypeParameter> parameters;
  do parameters.push_back(type_parameter());
  while (tokens_.accept(","));
  tokens_.expect("]", "after the type parameters");
  return parameters;
}

ast::TypeParameter DeclarationParser::type_parameter() {
  const Token name = tokens_.new_name("a type parameter's name");
  ast::TypeParameter parameter{tokens_.loc(name), name.text, {}};
  if (!tokens_.accept(":")) return parameter;
  while (tokens_.peek().kind == TokenKind::name) {
    if (tokens_.accept("fp8")) {
      for (const std::string_view each : dtype_names(DTypeKind::fp8))
        parameter.choices.emplace_back(each);
      continue;
    }
    if (!parse_dtype(tokens_.peek().text))
      tokens_.fail(tokens_.peek(),
                   fmt::format("expected an element type ({})", fmt::join(dtype_names(), " ")));
    parameter.choices.push_back(tokens_.take().text);
  }
  return parameter;
}

std::vector<ast::Parameter> DeclarationParser::parameters(bool of_kernel) {
  tokens_.expect("(", "before the parameters");
  const TokenReader::Brackets brackets(tokens_);
  std::vector<ast::Parameter> parameters;
  bool is_tuning = false;
  while (!tokens_.is(")")) {
    parameters.push_back(parameter(of_kernel, is_tuning));
    if (!is_tuning && tokens_.accept(";"))
      is_tuning = true;
    else if (!tokens_.accept(","))
      break;
  }
  tokens_.expect(")", "after the parameters");
  return parameters;
}

ast::Parameter DeclarationParser::parameter(bool of_kernel, bool is_tuning) {
  const Token name = tokens_.new_name("a parameter's name");
  ast::Parameter parameter{tokens_.loc(name), name.text, is_tuning, {}, {}};
  if (!of_kernel && tokens_.accept(":")) {
    if (tokens_.is("sem"))
      tokens_.fail(
          tokens_.peek(),
          fmt::format("a parameter that takes a semaphore has no type, expected `{}`", name.text));
    parameter.type = type();
  } else if (tokens_.accept("=")) {
    parameter.fallback = expressions_.expression();
  }
  return parameter;
}

bool DeclarationParser::starts() const {
  for (std::string_view word :
       {"in", "out", "tile", "vmem", "smem", "hbm", "sem", "scoped", "mesh", "if"})
    if (tokens_.is(word)) return true;
  return false;
}

std::vector<ast::Declaration> DeclarationParser::declarations() {
  std::vector<ast::Declaration> declarations;
  while (starts()) {
    declarations.push_back(declaration());
    tokens_.accept(";");
  }
  if (!tokens_.is("{"))
    tokens_.fail(
        tokens_.peek(),
        "expected a declaration (in, out, tile, vmem, smem, hbm, sem, scoped, mesh, if) or "
        "`{`");
  return declarations;
}

ast::Declaration DeclarationParser::declaration() {
  const bool is_scoped = tokens_.accept("scoped");
  if (tokens_.is("sem")) return semaphore(is_scoped);
  if (tokens_.is("tile") || tokens_.is("vmem") || tokens_.is("smem") || tokens_.is("hbm"))
    return scratch(is_scoped);
  if (!is_scoped && (tokens_.is("in") || tokens_.is("out"))) return operand();
  if (!is_scoped && tokens_.is("if")) return conditional();
  if (!is_scoped && tokens_.is("mesh")) return mesh();
  tokens_.fail(tokens_.peek(), "expected sem, tile, vmem, smem or hbm");
}

ast::Type DeclarationParser::type() {
  Loc loc = tokens_.loc(tokens_.peek());
  ast::Type type{{}, expressions_.primary(), {}};
  if (tokens_.accept("[")) {
    const TokenReader::Brackets brackets(tokens_);
    if (!tokens_.is("]")) type.extents = expressions_.list();
    tokens_.expect("]", "after the shape");
  }
  tokens_.widen(loc);
  type.loc = std::move(loc);
  return type;
}

// order (1, 0), if it is on the same line.
std::optional<ast::StorageOrder> DeclarationParser::storage_order() {
  if (!tokens_.is("order") || tokens_.peek().line_before) return std::nullopt;
  ast::StorageOrder order{tokens_.loc(tokens_.take()), {}};
  tokens_.expect("(", "before the storage order");
  const TokenReader::Brackets brackets(tokens_);
  order.dims = expressions_.list();
  tokens_.expect(")", "after the storage order");
  return order;
}

// The word `may_be_unread`, if it is on the same line.
bool DeclarationParser::may_be_unread() { return tokens_.accept_here("may_be_unread"); }

ast::Declaration DeclarationParser::operand() {
  const Token role = tokens_.take();
  const Token name = tokens_.new_name("the operand's name");
  tokens_.expect(":", "and the operand's type");
  ast::Type of = type();
  const Token space = tokens_.expect_name("hbm, vmem or smem");
  return {ast::BufferDeclaration{
      tokens_.loc(name), name.text, role.text == "out" ? Role::out : Role::in, false, std::move(of),
      ast::Name{tokens_.loc(space), space.text}, storage_order(), may_be_unread()}};
}

ast::Declaration DeclarationParser::scratch(bool is_scoped) {
  const Token space = tokens_.take();
  const Token name = tokens_.new_name("the buffer's name");
  tokens_.expect(":", "and the buffer's type");
  ast::Type of = type();
  return {ast::BufferDeclaration{tokens_.loc(name), name.text, Role::scratch, is_scoped,
                                 std::move(of), ast::Name{tokens_.loc(space), space.text},
                                 storage_order(), may_be_unread()}};
}

// sem name[dims]: count | bytes | barrier(id) [monotone]
ast::Declaration DeclarationParser::semaphore(bool is_scoped) {
  tokens_.take();
  const Token name = tokens_.new_name("the semaphore's name");
  std::vector<ast::Expression> extents;
  if (tokens_.accept("[")) {
    const TokenReader::Brackets brackets(tokens_);
    extents = expressions_.list();
    tokens_.expect("]", "after the shape");
  }
  tokens_.expect(":", "and the semaphore's kind: count, bytes or barrier(id)");
  ast::Expression kind = expressions_.primary();
  const bool is_monotone = tokens_.accept_here("monotone");
  return {ast::SemaphoreDeclaration{tokens_.loc(name), name.text, is_scoped, is_monotone,
                                    std::move(kind), std::move(extents)}};
}

// mesh x = 4, y = 2
ast::Declaration DeclarationParser::mesh() {
  ast::MeshDeclaration mesh{tokens_.loc(tokens_.take()), {}};
  do {
    const Token name = tokens_.new_name("the name of an axis");
    tokens_.expect("=", "and the number of devices along the axis");
    mesh.axes.push_back({tokens_.loc(name), name.text, expressions_.expression()});
  } while (tokens_.accept(","));
  return {std::move(mesh)};
}

ast::Declaration DeclarationParser::conditional() {
  const TokenReader::Level level(tokens_);
  ast::ConditionalDeclarations declaration{
      tokens_.loc(tokens_.take()), expressions_.expression(), {}, {}};
  declaration.then = group();
  if (tokens_.accept("else")) declaration.otherwise = group();
  return {std::move(declaration)};
}

std::vector<ast::Declaration> DeclarationParser::group() {
  tokens_.expect("{", "before the declarations");
  const TokenReader::Braces braces(tokens_);
  std::vector<ast::Declaration> declarations;
  while (!tokens_.is("}")) {
    if (!starts()) tokens_.fail(tokens_.peek(), "expected a declaration or `}`");
    declarations.push_back(declaration());
    tokens_.accept(";");
  }
  tokens_.take();
  return declarations;
}

}  // namespace tessera
