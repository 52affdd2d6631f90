#include "core/lang/statement_lowering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/lang/array_words.h"
#include "core/lang/assignment_lowering.h"
#include "core/lang/debug_lowering.h"
#include "core/lang/declaration_lowering.h"
#include "core/lang/expressions.h"
#include "core/lang/loop_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/scoped_memory.h"
#include "core/lang/transfer_lowering.h"
#include "core/lang/walk.h"

namespace tessera {
namespace {

const ast::Statement* return_in(const ast::If& branch);

// A `return` at the end of a block, or null.
const ast::Statement* return_in(const ast::Block& block) {
  if (block.statements.empty()) return nullptr;
  const ast::Statement& last = block.statements.back();
  if (last.as<ast::Return>() || last.as<ast::ReturnNamed>()) return &last;
  const auto* branch = last.as<ast::If>();
  return branch != nullptr ? return_in(*branch) : nullptr;
}

// The parser has seen to it that one stands at the end only.
const ast::Statement* return_in(const ast::If& branch) {
  if (const ast::Statement* found = return_in(branch.then)) return found;
  return branch.otherwise ? return_in(*branch.otherwise) : nullptr;
}

}  // namespace

StatementLowering::StatementLowering(Draft& draft, Names& names, ScopedMemory& scoped,
                                     Expressions& expressions, RealArithmetic& reals,
                                     ArrayWords& arrays, DeclarationLowering& declarations,
                                     AssignmentLowering& assignments, LoopLowering& loops,
                                     TransferLowering& transfers, DebugLowering& debug)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      scoped_(scoped),
      expressions_(expressions),
      reals_(reals),
      arrays_(arrays),
      declarations_(declarations),
      assignments_(assignments),
      loops_(loops),
      transfers_(transfers),
      debug_(debug) {}

void StatementLowering::block(const ast::Block& node) {
  const auto one = [&](const auto& form) {
    if constexpr (requires { loops_.lower(form); })
      loops_.lower(form);
    else if constexpr (requires { transfers_.lower(form); })
      transfers_.lower(form);
    else if constexpr (requires { debug_.lower(form); })
      debug_.lower(form);
    else if constexpr (requires { assignments_.lower(form); })
      assignments_.lower(form);
    else
      lower(form);
  };
  for (const ast::Statement& statement : node.statements) std::visit(one, statement.form);
}

Entity StatementLowering::result_of(const ast::Function& function) {
  const std::size_t scoped = scoped_.size();
  declarations_.declare_all(function.declarations, true);
  const auto* body = std::get_if<ast::Block>(&function.body);
  Entity result = body != nullptr ? result_of(*body)
                                  : expressions_.evaluate(std::get<ast::Expression>(function.body));
  scoped_.free_from(scoped);
  return result;
}

Entity StatementLowering::result_of(const ast::Block& node) {
  const bool was_in_function = std::exchange(in_function_, true);
  Entity outer =
      std::exchange(result_, {.kind = Entity::Kind::record, .environment = names_.make(nullptr)});
  block(node);
  in_function_ = was_in_function;
  return std::exchange(result_, std::move(outer));
}

void StatementLowering::lower(const ast::ScopedDeclaration& node) {
  declarations_.declare(node.declaration, true);
}

void StatementLowering::lower(const ast::CallStatement& node) { expressions_.evaluate(node.call); }

void StatementLowering::lower(const ast::TraceRegion& node) {
  draft_.at(node.loc);
  builder_.emit(Trace{node.level, builder_.text(node.message)});
  {
    const BlockScope inner(names_, scoped_);
    block(node.body);
  }
  builder_.emit(End{});
}

// A condition that is known is tested here, any other where the run comes to it.
void StatementLowering::lower(const ast::Require& node) {
  const ValueId condition = expressions_.scalar(node.condition);
  if (condition == no_value) return;
  const auto known = builder_.program().constant(condition);
  const std::string message =
      node.message.empty() ? "a requirement of the kernel does not hold" : node.message;
  if (!known) {
    draft_.at(node.loc);
    builder_.emit(Require{condition, builder_.text(message)});
    return;
  }
  if (*known != 0) return;
  draft_.fail(node.loc, message);
  const std::vector<std::string> values = known_values(node.condition);
  Note note{node.condition.loc(), "this requirement is not met"};
  if (!values.empty()) note.message += fmt::format(", where {}", fmt::join(values, ", "));
  auto& notes = draft_.diags().back().notes;
  notes.insert(notes.begin(), std::move(note));
}

// `name = 3` for each name in a condition that is a known number.
std::vector<std::string> StatementLowering::known_values(const ast::Expression& condition) const {
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
    const Entity* entity = names_.find(name);
    if (!entity || !reals_.known_number(*entity)) continue;
    const Value& known = builder_.program().value(entity->value);
    std::string text = entity->kind == Entity::Kind::real
                           ? fmt::format("{} = {}", name, known.real)
                           : fmt::format("{} = {}", name, known.integer);
    if (std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(std::move(text));
  }
  return values;
}

// name = value, or name(i) = value: a function or an array.
void StatementLowering::lower(const ast::Definition& node) {
  if (node.parameters.empty()) return define_value(node);
  if (std::holds_alternative<ast::LoopVariable>(node.parameters[0])) {
    Entity array = arrays_.define(node);
    if (array.kind != Entity::Kind::nothing) names_.bind(node.name, std::move(array), node.loc);
  } else {
    names_.bind(
        node.name,
        {.kind = Entity::Kind::closure, .definition = &node, .environment = names_.current()},
        node.loc);
  }
}

// A new name for the value, or, when the name is memory, a store.
void StatementLowering::define_value(const ast::Definition& node) {
  const Entity* known = names_.find(node.name);
  if (known && known->kind == Entity::Kind::view) {
    assignments_.store(Slice(known->slice), node.value, node.loc);
    return;
  }
  const bool is_unknown = known && known->kind == Entity::Kind::nothing;
  Entity entity = expressions_.evaluate(node.value);
  if (is_unknown) return;  // what it stands for was reported where it is declared
  if (entity.kind == Entity::Kind::nothing) {
    names_.set_unknown(node.name);  // so that its uses are not reported too
    return;
  }
  if (entity.kind == Entity::Kind::record && entity.environment->names.empty()) {
    draft_.fail(node.loc, "this call has no value");
    return;
  }
  const auto* other = node.value.as<ast::Name>();
  if (entity.kind == Entity::Kind::view && other != nullptr) {
    draft_.fail(
        node.loc,
        fmt::format("`{0} = {1}` would copy nothing, as `{0}` is not declared as memory; declare "
                    "it to get a copy, or write `{0} = view({1})` for another name of "
                    "`{1}`",
                    node.name, other->name));
    names_.set_unknown(node.name);
    return;
  }
  names_.bind(node.name, draft_.name_result(std::move(entity), node.name), node.loc);
}

// A condition that is known when the kernel is instantiated chooses a block, whose names then
// belong around it.
void StatementLowering::lower(const ast::If& node) {
  const ValueId condition = expressions_.scalar(node.condition);
  if (condition == no_value) return;
  if (const auto known = builder_.program().constant(condition)) {
    if (*known != 0)
      block(node.then);
    else if (node.otherwise)
      block(*node.otherwise);
    return;
  }
  if (const ast::Statement* open = return_in(node); open && in_function_) {
    result_ = draft_.fail(open->loc(),
                          "the condition around this `return` is not known when the kernel is "
                          "instantiated; expected `return condition ? a : b`");
    return;
  }
  draft_.at(node.loc);
  builder_.emit(If{condition});
  {
    const BlockScope inner(names_, scoped_);
    block(node.then);
  }
  if (node.otherwise) {
    builder_.emit(Else{});
    const BlockScope inner(names_, scoped_);
    block(*node.otherwise);
  }
  builder_.emit(End{});
}

// The result of the function being inlined: one value, or named ones.
void StatementLowering::lower(const ast::Return& node) {
  if (refuse_return(node.loc)) return;
  result_ = expressions_.evaluate(node.value);
}

void StatementLowering::lower(const ast::ReturnNamed& node) {
  if (refuse_return(node.loc)) return;
  result_ = {.kind = Entity::Kind::record, .environment = names_.make(nullptr)};
  // An entry sees what the function knows, then the other entries.
  Environment* entries = names_.make(names_.current());
  entries->fallback = result_.environment;
  for (const ast::Definition& entry : node.entries) {
    Entity value;
    if (!entry.parameters.empty())
      value = {.kind = Entity::Kind::closure, .definition = &entry, .environment = entries};
    else
      value = expressions_.evaluate(entry.value);
    result_.environment->names[entry.name] = std::move(value);
  }
}

bool StatementLowering::refuse_return(const Loc& loc) {
  if (in_function_) return false;
  draft_.fail(loc, "a kernel returns nothing; `return` stands in functions");
  return true;
}

}  // namespace tessera
