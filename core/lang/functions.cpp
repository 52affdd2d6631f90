#include "core/lang/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/lang/foreign_words.h"
#include "core/lang/walk.h"
#include "core/lang/words.h"
#include "core/report/near.h"

namespace tessera {
namespace {

// Collects the calls of a kernel, including unreachable calls: under known conditions, and in
// functions that are only called there.
struct Calls : ast::Visitor {
  explicit Calls(const Elaboration& e) : e(e) {}

  using Visitor::meet;
  void meet(const ast::Definition& definition) override { names.insert(definition.name); }
  void meet(const ast::Parameter& parameter) override { names.insert(parameter.name); }
  void meet(const ast::Expression& expression) override {
    const auto* call = expression.as<ast::Call>();
    if (call == nullptr) return;
    const ast::Function* function = find_function(e, call->function);
    if (function == nullptr && !is_word(call->function)) unknown.push_back(call);
    if (function != nullptr && met.insert(call->function).second) functions.push_back(function);
  }

  const Elaboration& e;
  std::vector<const ast::Function*> functions;  // called functions
  std::vector<const ast::Call*> unknown;        // calls of unknown functions or words
  std::set<std::string_view> met;               // names of the called functions
  // Names of values and parameters, which may be functions of an index.
  std::set<std::string_view> names;
};

}  // namespace

const ast::Function* find_function(const Elaboration& e, std::string_view name) {
  for (const Module* module : e.modules) {
    if (const auto found = module->functions.find(name); found != module->functions.end())
      return found->second;
  }
  return nullptr;
}

Entity unknown_function(Elaboration& e, const ast::Call& node) {
  if (const std::string_view ours = instead_of(node.function); !ours.empty())
    return e.fail(node.loc,
                  fmt::format("unknown function `{}`; here it is {}", node.function, ours));
  if (parse_dtype(node.function))
    return e.fail(node.loc, fmt::format("`{0}` is a type, not a function; expected "
                                        "`cast(x, {0})`",
                                        node.function));
  std::vector<std::string_view> known = words();
  for (const Module* module : e.modules)
    for (const auto& [name, function] : module->functions) known.push_back(name);
  for (const Environment* around = e.names.current(); around; around = around->parent)
    for (const auto& [name, entity] : around->names)
      if (entity.kind == Entity::Kind::closure) known.push_back(name);
  const std::string_view near = nearest(node.function, known);
  return e.fail(node.loc,
                fmt::format("unknown function `{}`{}", node.function,
                            near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

void check_functions(Elaboration& e, const ast::Kernel& kernel) {
  Calls found(e);
  walk(kernel, found);
  for (std::size_t i = 0; i < found.functions.size(); ++i) walk(*found.functions[i], found);
  for (const ast::Call* call : found.unknown) {
    const auto is_reported = [&](const Diag& d) {
      return d.loc.source == call->loc.source && d.loc.line == call->loc.line &&
             d.loc.column == call->loc.column;
    };
    if (!found.names.contains(call->function) &&
        std::none_of(e.diags.begin(), e.diags.end(), is_reported))
      unknown_function(e, *call);
  }
}

}  // namespace tessera
