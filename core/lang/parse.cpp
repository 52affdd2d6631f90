#include "core/lang/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/lang/early_returns.h"
#include "core/lang/language.h"
#include "core/lang/line_map.h"
#include "core/lang/version.h"
#include "core/report/guarded.h"
#include "core/report/try.h"

namespace tessera {

ast::File FileParser::file() {
  ast::File file;
  if (tokens_.accept("tessera")) tokens_.take();  // version already checked by parse()
  while (!tokens_.at_end()) {
    try {
      if (tokens_.is("kernel"))
        file.definitions.emplace_back(kernel());
      else if (tokens_.is("function"))
        file.definitions.emplace_back(function());
      else if (tokens_.is("tessera"))
        tokens_.fail(tokens_.peek(), "expected the version once, before all kernels and functions");
      else
        tokens_.fail(tokens_.peek(), "expected `kernel` or `function`");
    } catch (const TokenReader::SyntaxError&) {
      const auto starts = [&] {
        const Token& next = tokens_.peek();
        return next.line_before && next.column == 1 &&
               (tokens_.is("kernel") || tokens_.is("function"));
      };
      while (!tokens_.at_end() && !starts()) tokens_.take();
    }
  }
  return file;
}

// Returns the comment lines directly above `line`, without their slashes.
std::string FileParser::doc_above(int line) const {
  std::string doc;
  int first = line;
  while (lines_[first - 1].starts_with("//")) --first;
  for (int i = first; i < line; ++i) {
    std::string_view l = lines_[i].substr(2);
    if (l.starts_with(' ')) l.remove_prefix(1);
    if (l.starts_with("RUN:")) continue;  // test commands are not documentation
    if (!doc.empty()) doc += '\n';
    doc += l;
  }
  return doc;
}

ast::Kernel FileParser::kernel() {
  const int line = tokens_.take().line;
  const Token name = tokens_.expect_name("the kernel's name");
  ast::Kernel kernel{tokens_.loc(name), name.text, doc_above(line), {}, {}, {}, {}};
  if (tokens_.is("[")) kernel.type_parameters = declarations_.type_parameters();
  kernel.parameters = declarations_.parameters(true);
  kernel.declarations = declarations_.declarations();
  kernel.body = statements_.block();
  return kernel;
}

ast::Function FileParser::function() {
  tokens_.take();
  const Token name = tokens_.expect_name("the function's name");
  tokens_.refuse_word(name);
  ast::Function function{tokens_.loc(name), name.text, declarations_.parameters(false), {}, {}};
  if (tokens_.accept("=")) {
    function.body = expressions_.range_or_count();
    return function;
  }
  function.declarations = declarations_.declarations();
  ast::Block block = statements_.block();
  refuse_early_returns(block, true, tokens_);
  function.body = std::move(block);
  return function;
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

OperandInfo describe(const ast::BufferDeclaration& node, const Lines& lines) {
  OperandInfo operand{
      node.name, node.role == Role::out, text_of(lines, node.type.dtype.loc()), {}, {}};
  for (const ast::Expression& extent : node.type.extents)
    operand.extents.push_back(text_of(lines, extent.loc()));
  if (node.order)
    for (const ast::Expression& dim : node.order->dims) {
      const auto* number = dim.as<ast::Integer>();
      operand.order.push_back(number != nullptr ? static_cast<int>(number->value) : -1);
    }
  return operand;
}

void add_operands(const std::vector<ast::Declaration>& declarations, const Lines& lines,
                  std::vector<OperandInfo>& operands) {
  for (const ast::Declaration& declaration : declarations) {
    if (const auto* group = std::get_if<ast::ConditionalDeclarations>(&declaration.form)) {
      add_operands(group->then, lines, operands);
      add_operands(group->otherwise, lines, operands);
    }
    const auto* buffer = std::get_if<ast::BufferDeclaration>(&declaration.form);
    if (buffer != nullptr && buffer->role != Role::scratch)
      operands.push_back(describe(*buffer, lines));
  }
}

KernelInfo describe(const ast::Kernel& kernel, const Lines& lines) {
  KernelInfo info{kernel.name, kernel.doc, {}, kernel.loc};
  add_operands(kernel.declarations, lines, info.operands);
  for (const ast::TypeParameter& t : kernel.type_parameters)
    info.parameters.push_back({ParameterInfo::Kind::dtype, t.name, "", t.choices});
  for (const ast::Parameter& p : kernel.parameters)
    info.parameters.push_back(
        {p.is_tuning ? ParameterInfo::Kind::tuning : ParameterInfo::Kind::problem,
         p.name,
         p.fallback ? text_of(lines, p.fallback->loc()) : "",
         {}});
  return info;
}

// Definitions of a file by name; reports names that are already defined.
class Definitions {
 public:
  Definitions(Module& module, Diags& diags)
      : module_(module), lines_(module.source->text), diags_(diags) {}

  void operator()(const ast::Function& node) {
    const auto [known, is_new] = module_.functions.try_emplace(node.name, &node);
    if (!is_new) refuse(node.loc, "function", node.name, known->second->loc);
  }

  void operator()(const ast::Kernel& node) {
    if (const KernelInfo* other = module_.find(node.name))
      refuse(node.loc, "kernel", node.name, other->loc);
    module_.kernel_nodes.try_emplace(node.name, Module::KernelNode{module_.kernels.size(), &node});
    module_.kernels.push_back(describe(node, lines_));
  }

 private:
  void refuse(const Loc& loc, std::string_view what, std::string_view name, const Loc& first) {
    diags_.push_back({ErrorCode::invalid_value,
                      loc,
                      fmt::format("{} `{}` is already defined", what, name),
                      {{first, "here"}}});
  }

  Module& module_;
  const Lines lines_;
  Diags& diags_;
};

}  // namespace

Expected<Module> parse(std::shared_ptr<const Source> source, const SourceReader& reader) try {
  if (const std::size_t at = source->text.find('\0'); at != std::string::npos)
    return error(fmt::format("{} is not a text: byte {} is 0", source->name, at));
  Diags diags;
  auto lines = std::make_shared<LineMap>();
  std::vector<Token> tokens = lex(source, diags, lines.get());
  TRY(check_language_version(source, tokens));  // no other errors for other versions
  auto root = std::make_shared<ast::File>(FileParser(source, std::move(tokens), diags).file());
  if (reader) lines->read_files(reader);
  Module module{source, root, lines->empty() ? nullptr : std::move(lines), {}, {}, {}};
  Definitions definitions(module, diags);
  for (const auto& definition : root->definitions) std::visit(definitions, definition);
  if (diags.empty()) return module;
  std::stable_sort(diags.begin(), diags.end(), [](const Diag& a, const Diag& b) {
    return std::pair(a.loc.line, a.loc.column) < std::pair(b.loc.line, b.loc.column);
  });
  return diags;
} catch (...) {
  return given_up("reading the program");
}

}  // namespace tessera
