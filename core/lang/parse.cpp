// Files, kernels, functions and their declarations.
#include <fmt/format.h>

#include <algorithm>

#include "core/lang/language.h"
#include "core/lang/parser.h"
#include "core/report/guarded.h"

namespace tessera {

Node Parser::file() {
  Node node;
  node.kind = NodeKind::file;
  while (peek().kind != TokenKind::end) {
    try {
      if (is("kernel"))
        node.add(kernel());
      else if (is("function"))
        node.add(function());
      else
        fail(peek(), "expected `kernel` or `function`");
    } catch (const SyntaxError&) {
      nesting_ = 0;
      while (peek().kind != TokenKind::end &&
             !(peek().line_before && (is("kernel") || is("function")) && peek().column == 1))
        take();
    }
  }
  return node;
}

// The lines of comment that end on the line before `line`, without their slashes.
std::string Parser::doc_above(int line) const {
  std::string doc;
  int first = line;
  while (lines_[first - 1].starts_with("//")) --first;
  for (int i = first; i < line; ++i) {
    std::string_view l = lines_[i].substr(2);
    if (l.starts_with(' ')) l.remove_prefix(1);
    if (l.starts_with("RUN:")) continue;  // how the tests run the file is no part of what it does
    if (!doc.empty()) doc += '\n';
    doc += l;
  }
  return doc;
}

Node Parser::kernel() {
  const Token keyword = take();
  const Token name = expect_name("the kernel's name");
  Node node = make(NodeKind::kernel, name);
  node.text = name.text;
  node.doc = doc_above(keyword.line);
  Node types = make(NodeKind::block, name);
  if (is("[")) types = type_parameters();
  Node params = make(NodeKind::block, name);
  parameters(params, true);
  node.add(std::move(types));
  node.add(std::move(params));
  node.add(declarations());
  node.add(block());
  return node;
}

Node Parser::function() {
  const Token keyword = take();
  const Token name = expect_name("the function's name");
  refuse_word(name);
  Node node = make(NodeKind::function, name);
  node.text = name.text;
  node.doc = doc_above(keyword.line);
  Node params = make(NodeKind::block, name);
  parameters(params, false);
  node.add(std::move(params));
  if (accept("=")) {
    node.add(make(NodeKind::block, name));
    node.add(range_or_count());
    return node;
  }
  node.add(declarations());
  node.add(block());
  refuse_early_returns(node.kids.back(), true);
  return node;
}

Node Parser::type_parameters() {
  const Token open = take();
  Node node = make(NodeKind::block, open);
  ++nesting_;
  do {
    const Token name = new_name("a type parameter's name");
    Node parameter = make(NodeKind::type_parameter, name);
    parameter.text = name.text;
    if (accept(":"))
      while (peek().kind == TokenKind::name) {
        const Token choice = take();
        if (!parse_dtype(choice.text)) {
          --at_;
          fail(choice, "expected an element type (f32 bf16 f16 e4m3 e5m2 e8m0 i8 i32 u32 i64)");
        }
        Node kid = make(NodeKind::name, choice);
        kid.text = choice.text;
        parameter.add(std::move(kid));
      }
    node.add(std::move(parameter));
  } while (accept(","));
  expect("]", "after the type parameters");
  --nesting_;
  return node;
}

// Problem parameters ; tuning parameters; those of a function are scalars, and refs `name:
// T[dims]`, and the semicolon is for the reader.
void Parser::parameters(Node& into, bool of_kernel) {
  expect("(", "before the parameters");
  ++nesting_;
  bool tuning = false;
  while (!is(")")) {
    const Token name = new_name("a parameter's name");
    Node parameter = make(NodeKind::parameter, name);
    parameter.text = name.text;
    parameter.integer = tuning ? 1 : 0;
    if (!of_kernel && accept(":")) {
      if (is("sem"))
        fail(peek(), fmt::format("a parameter that takes a semaphore has no type, expected `{}`",
                                 name.text));
      parameter.add(type());
    } else if (accept("=")) {
      parameter.add(expression());
    }
    into.add(std::move(parameter));
    if (!tuning && accept(";"))
      tuning = true;
    else if (!accept(","))
      break;
  }
  expect(")", "after the parameters");
  --nesting_;
}

bool Parser::declaration_starts() const {
  for (std::string_view word : {"in", "out", "tile", "vmem", "smem", "hbm", "sem", "scoped", "if"})
    if (is(word)) return true;
  return false;
}

Node Parser::declarations() {
  Node node = make(NodeKind::block, peek());
  while (declaration_starts()) {
    node.add(declaration());
    accept(";");
  }
  if (!is("{"))
    fail(peek(), "expected a declaration (in, out, tile, vmem, smem, hbm, sem, scoped, if) or `{`");
  return node;
}

Node Parser::declaration() {
  const bool scoped = accept("scoped");
  if (is("sem")) return semaphore(scoped);
  if (is("tile") || is("vmem") || is("smem") || is("hbm")) return scratch(scoped);
  if (!scoped && (is("in") || is("out"))) return operand();
  if (!scoped && is("if")) return declare_if();
  fail(peek(), "expected sem, tile, vmem, smem or hbm");
}

Node Parser::type() {
  Node node = make(NodeKind::type, peek());
  node.add(primary());
  if (accept("[")) {
    ++nesting_;
    if (!is("]")) do
        node.add(expression());
      while (accept(","));
    expect("]", "after the shape");
    --nesting_;
  }
  return spanning(std::move(node));
}

// order (1, 0), when it stands on the same line.
void Parser::storage_order(Node& buffer) {
  if (!is("order") || peek().line_before) return;
  Node order = make(NodeKind::order, take());
  expect("(", "before the storage order");
  ++nesting_;
  do order.add(expression());
  while (accept(","));
  expect(")", "after the storage order");
  --nesting_;
  buffer.add(std::move(order));
}

Node Parser::operand() {
  const Token role = take();
  const Token name = new_name("the operand's name");
  Node node = make(NodeKind::operand, name);
  node.text = name.text;
  node.integer = role.text == "out" ? 1 : 0;
  expect(":", "and the operand's type");
  node.add(type());
  const Token space = expect_name("hbm, vmem or smem");
  Node kid = make(NodeKind::name, space);
  kid.text = space.text;
  node.add(std::move(kid));
  storage_order(node);
  return node;
}

Node Parser::scratch(bool scoped) {
  const Token space = take();
  const Token name = new_name("the buffer's name");
  Node node = make(NodeKind::scratch, name);
  node.text = name.text;
  node.integer = scoped ? 1 : 0;
  expect(":", "and the buffer's type");
  node.add(type());
  Node kid = make(NodeKind::name, space);
  kid.text = space.text;
  node.add(std::move(kid));
  storage_order(node);
  return node;
}

// sem name[dims]: count | bytes | barrier(id) [monotone]
Node Parser::semaphore(bool scoped) {
  take();
  const Token name = new_name("the semaphore's name");
  Node node = make(NodeKind::semaphore, name);
  node.text = name.text;
  node.integer = scoped ? 1 : 0;
  std::vector<Node> dims;
  if (accept("[")) {
    ++nesting_;
    do dims.push_back(expression());
    while (accept(","));
    expect("]", "after the shape");
    --nesting_;
  }
  expect(":", "and the semaphore's kind: count, bytes or barrier(id)");
  node.add(primary());
  if (is("monotone") && !peek().line_before) {
    take();
    node.integer |= 2;
  }
  for (Node& d : dims) node.add(std::move(d));
  return node;
}

Node Parser::declare_if() {
  const Level level(*this);
  Node node = make(NodeKind::declare_if, take());
  node.add(expression());
  const auto group = [&] {
    Node inner = make(NodeKind::block, expect("{", "before the declarations"));
    const int nesting = nesting_;
    nesting_ = 0;
    while (!is("}")) {
      if (!declaration_starts()) fail(peek(), "expected a declaration or `}`");
      inner.add(declaration());
      accept(";");
    }
    take();
    nesting_ = nesting;
    return inner;
  };
  node.add(group());
  if (accept("else")) node.add(group());
  return node;
}

const KernelInfo* Module::find(std::string_view kernel) const {
  const auto found = kernel_nodes.find(kernel);
  return found == kernel_nodes.end() ? nullptr : &kernels[found->second.info];
}

namespace {

std::string text_of(const Lines& lines, const Loc& loc) {
  const std::string_view text = loc.source->text;
  const auto line = static_cast<std::size_t>(lines[loc.line].data() - text.data());
  return std::string(text.substr(line + static_cast<std::size_t>(loc.column) - 1,
                                 static_cast<std::size_t>(loc.width)));
}

std::string name_of(const Node& node) { return node.kind == NodeKind::name ? node.text : ""; }

void add_operands(const Node& declarations, std::vector<OperandInfo>& operands) {
  for (const Node& node : declarations.kids) {
    if (node.kind == NodeKind::block || node.kind == NodeKind::declare_if)
      add_operands(node, operands);
    if (node.kind != NodeKind::operand) continue;
    const Node& type = node.kids[0];
    OperandInfo operand{node.text, node.integer != 0, name_of(type.kids[0]), {}, {}};
    for (std::size_t d = 1; d < type.kids.size(); ++d)
      operand.extents.push_back(name_of(type.kids[d]));
    if (node.kids.size() > 2)
      for (const Node& dim : node.kids[2].kids)
        operand.order.push_back(static_cast<int>(dim.integer));
    operands.push_back(std::move(operand));
  }
}

KernelInfo describe(const Node& kernel, const Lines& lines) {
  KernelInfo info{kernel.text, kernel.doc, {}, kernel.loc};
  add_operands(kernel.kids[2], info.operands);
  for (const Node& t : kernel.kids[0].kids) {
    ParameterInfo p{ParameterInfo::Kind::dtype, t.text, "", {}};
    for (const Node& choice : t.kids) p.choices.push_back(choice.text);
    info.parameters.push_back(std::move(p));
  }
  for (const Node& n : kernel.kids[1].kids)
    info.parameters.push_back(
        {n.integer != 0 ? ParameterInfo::Kind::tuning : ParameterInfo::Kind::problem,
         n.text,
         n.kids.empty() ? "" : text_of(lines, n.kids[0].loc),
         {}});
  return info;
}

Diag defined_twice(const Node& node, std::string_view what, const Loc& first) {
  return {ErrorCode::invalid_value,
          node.loc,
          fmt::format("{} `{}` is already defined", what, node.text),
          {{first, "here"}}};
}

}  // namespace

Expected<Module> parse(std::shared_ptr<const Source> source) try {
  if (const std::size_t at = source->text.find('\0'); at != std::string::npos)
    return error(fmt::format("{} is not a text: byte {} is 0", source->name, at));
  Diags diags;
  std::vector<Token> tokens = lex(source, diags);
  auto root = std::make_shared<Node>(Parser(source, std::move(tokens), diags).file());
  Module module{source, root, {}, {}, {}};
  const Lines lines(source->text);
  for (const Node& node : root->kids) {
    if (node.kind == NodeKind::function) {
      const auto [known, is_new] = module.functions.try_emplace(node.text, &node);
      if (!is_new) diags.push_back(defined_twice(node, "function", known->second->loc));
      continue;
    }
    if (const KernelInfo* other = module.find(node.text))
      diags.push_back(defined_twice(node, "kernel", other->loc));
    module.kernel_nodes.try_emplace(node.text, Module::KernelNode{module.kernels.size(), &node});
    module.kernels.push_back(describe(node, lines));
  }
  if (diags.empty()) return module;
  std::stable_sort(diags.begin(), diags.end(), [](const Diag& a, const Diag& b) {
    return std::pair(a.loc.line, a.loc.column) < std::pair(b.loc.line, b.loc.column);
  });
  return diags;
} catch (...) {
  return given_up("reading the program");
}

}  // namespace tessera
