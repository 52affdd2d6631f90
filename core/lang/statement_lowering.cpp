#include "core/lang/statement_lowering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/lang/expression_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/walk.h"
#include "core/lang/word_lowering.h"

namespace tessera {
namespace {

const ast::Statement* return_in(const ast::If& branch);

// Returns the `return` at the end of a block; null if there is none.
const ast::Statement* return_in(const ast::Block& block) {
  if (block.statements.empty()) return nullptr;
  const ast::Statement& last = block.statements.back();
  if (last.as<ast::Return>() || last.as<ast::ReturnNamed>()) return &last;
  const auto* branch = last.as<ast::If>();
  return branch != nullptr ? return_in(*branch) : nullptr;
}

// The parser has checked that a `return` occurs only at the end.
const ast::Statement* return_in(const ast::If& branch) {
  if (const ast::Statement* found = return_in(branch.then)) return found;
  return branch.otherwise ? return_in(*branch.otherwise) : nullptr;
}

// Returns `name = 3` for each name in the condition with a known number.
std::vector<std::string> known_values(Elaboration& e, const ast::Expression& condition) {
  struct Mentioned : ast::Visitor {
    using Visitor::meet;
    void meet(const ast::Expression& expression) override {
      if (const auto* name = expression.as<ast::Name>()) found.push_back(name->name);
    }
    std::vector<std::string> found;
  } mentioned;
  walk(condition, mentioned);
  std::vector<std::string> values;
  for (const std::string& name : mentioned.found) {
    const Entity* entity = e.names.find(name);
    if (!entity || !known_number(e, *entity)) continue;
    const Value& known = e.program().value(entity->value);
    std::string text = entity->kind == Entity::Kind::real
                           ? fmt::format("{} = {}", name, known.real)
                           : fmt::format("{} = {}", name, known.integer);
    if (std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(std::move(text));
  }
  return values;
}

// Defines a new name for the value, or stores if the name is memory.
void define_value(Elaboration& e, const ast::Definition& node) {
  const Entity* known = e.names.find(node.name);
  if (known && known->kind == Entity::Kind::view) {
    store(e, Slice(known->slice), node.value, node.loc);
    return;
  }
  const bool is_unknown = known && known->kind == Entity::Kind::nothing;
  Entity entity = evaluate(e, node.value);
  if (is_unknown) return;  // the error was reported at the declaration
  if (entity.kind == Entity::Kind::nothing) {
    e.names.set_unknown(node.name);  // avoids errors for its uses
    return;
  }
  if (entity.kind == Entity::Kind::record && entity.environment->names.empty()) {
    e.fail(node.loc, "this call has no value");
    return;
  }
  const auto* other = node.value.as<ast::Name>();
  if (entity.kind == Entity::Kind::view && other != nullptr) {
    e.fail(
        node.loc,
        fmt::format("`{0} = {1}` would copy nothing, as `{0}` is not declared as memory; declare "
                    "it to get a copy, or write `{0} = view({1})` for another name of "
                    "`{1}`",
                    node.name, other->name));
    e.names.set_unknown(node.name);
    return;
  }
  e.bind(node.name, e.name_result(std::move(entity), node.name), node.loc);
}

bool refuse_return(Elaboration& e, const Loc& loc) {
  if (e.result != nullptr) return false;
  e.fail(loc, "a kernel returns nothing; expected `return` in a function");
  return true;
}

// Returns the result of a function with this body.
Entity result_of(Elaboration& e, const ast::Block& node) {
  Entity result{.kind = Entity::Kind::record, .environment = e.names.make(nullptr)};
  Entity* const outer = std::exchange(e.result, &result);
  block(e, node);
  e.result = outer;
  return result;
}

}  // namespace

void block(Elaboration& e, const ast::Block& node) {
  for (const ast::Statement& statement : node.statements)
    std::visit([&](const auto& form) { lower(e, form); }, statement.form);
}

Entity result_of(Elaboration& e, const ast::Function& function) {
  const std::size_t scoped = e.allocated.size();
  declare_all(e, function.declarations, true);
  const auto* body = std::get_if<ast::Block>(&function.body);
  Entity result =
      body != nullptr ? result_of(e, *body) : evaluate(e, std::get<ast::Expression>(function.body));
  e.free_from(scoped);
  return result;
}

void lower(Elaboration& e, const ast::ScopedDeclaration& node) {
  declare(e, node.declaration, true);
}

void lower(Elaboration& e, const ast::CallStatement& node) { evaluate(e, node.call); }

void lower(Elaboration& e, const ast::TraceRegion& node) {
  e.at(node.loc);
  e.builder.emit(Trace{node.level, e.builder.text(node.message)});
  {
    const BlockScope inner(e);
    block(e, node.body);
  }
  e.builder.emit(End{});
}

// A known condition is tested during instantiation, others during the run.
void lower(Elaboration& e, const ast::Require& node) {
  const ValueId condition = scalar(e, node.condition);
  if (condition == no_value) return;
  const auto known = e.program().constant(condition);
  const std::string message =
      node.message.empty() ? "a requirement of the kernel does not hold" : node.message;
  if (!known) {
    e.at(node.loc);
    e.builder.emit(Require{condition, e.builder.text(message)});
    return;
  }
  if (*known != 0) return;
  e.fail(node.loc, message);
  const std::vector<std::string> values = known_values(e, node.condition);
  Note note{node.condition.loc(), "this requirement is not met"};
  if (!values.empty()) note.message += fmt::format(", where {}", fmt::join(values, ", "));
  auto& notes = e.diags.back().notes;
  notes.insert(notes.begin(), std::move(note));
}

// name = value, or name(i) = value: a function or an array.
void lower(Elaboration& e, const ast::Definition& node) {
  if (node.parameters.empty()) return define_value(e, node);
  if (std::holds_alternative<ast::LoopVariable>(node.parameters[0])) {
    Entity array = define_array(e, node);
    if (array.kind != Entity::Kind::nothing) e.bind(node.name, std::move(array), node.loc);
  } else {
    e.bind(node.name,
           {.kind = Entity::Kind::closure, .definition = &node, .environment = e.names.current()},
           node.loc);
  }
}

// A known condition selects one block during instantiation. The names of this block belong to the
// enclosing block.
void lower(Elaboration& e, const ast::If& node) {
  const ValueId condition = scalar(e, node.condition);
  if (condition == no_value) return;
  if (const auto known = e.program().constant(condition)) {
    if (*known != 0)
      block(e, node.then);
    else if (node.otherwise)
      block(e, *node.otherwise);
    return;
  }
  if (const ast::Statement* open = return_in(node); open && e.result != nullptr) {
    *e.result = e.fail(open->loc(),
                       "the condition around this `return` is not known when the kernel is "
                       "instantiated; expected `return condition ? a : b`");
    return;
  }
  e.at(node.loc);
  e.builder.emit(If{condition});
  {
    const BlockScope inner(e);
    block(e, node.then);
  }
  if (node.otherwise) {
    e.at(node.otherwise_loc);
    e.builder.emit(Else{});
    const BlockScope inner(e);
    block(e, *node.otherwise);
  }
  e.builder.emit(End{});
}

// Sets the result of the function being inlined: one value, or named values.
void lower(Elaboration& e, const ast::Return& node) {
  if (refuse_return(e, node.loc)) return;
  *e.result = evaluate(e, node.value);
}

void lower(Elaboration& e, const ast::ReturnNamed& node) {
  if (refuse_return(e, node.loc)) return;
  *e.result = {.kind = Entity::Kind::record, .environment = e.names.make(nullptr)};
  // An entry can use the function's names first, then the other entries.
  Environment* entries = e.names.make(e.names.current());
  entries->fallback = e.result->environment;
  for (const ast::Definition& entry : node.entries) {
    Entity value;
    if (!entry.parameters.empty())
      value = {.kind = Entity::Kind::closure, .definition = &entry, .environment = entries};
    else
      value = evaluate(e, entry.value);
    e.result->environment->names[entry.name] = std::move(value);
  }
}

}  // namespace tessera
