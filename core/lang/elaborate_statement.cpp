#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/lang/elaborate_block.h"
#include "core/lang/operators.h"
#include "core/lang/walk.h"

namespace tessera {

void Elaborator::free_scoped(std::size_t from) {
  while (scoped_.size() > from) {
    builder_.emit(Free{builder_.whole(scoped_.back())});
    scoped_.pop_back();
  }
}

void Elaborator::at(const Loc& loc) {
  const auto& places = builder_.program().places;
  if (!places.empty()) {
    const Place& last = places.back();
    if (last.caller == caller_ && last.loc.source == loc.source && last.loc.line == loc.line &&
        last.loc.column == loc.column && last.loc.width == loc.width)
      return builder_.at_place(static_cast<std::int32_t>(places.size()) - 1);
  }
  builder_.at(loc, caller_);
}

void Elaborator::bind(const std::string& name, Entity entity, const Loc& loc) {
  if (const Entity* known = scope_->find(name)) {
    if (known->kind != Entity::Kind::nothing)
      fail(loc, fmt::format("`{}` is already defined; a name keeps its value", name));
    return;
  }
  scope_->names[name] = std::move(entity);
}

void Elaborator::block(const ast::Block& node) {
  for (const ast::Statement& kid : node.statements)
    std::visit([&](const auto& form) { statement(form); }, kid.form);
}

void Elaborator::statement(const ast::ScopedDeclaration& node) { declare(node.declaration, true); }

void Elaborator::statement(const ast::CallStatement& node) { evaluate(node.call); }

void Elaborator::statement(const ast::TraceRegion& node) {
  at(node.loc);
  builder_.emit(Trace{node.level, builder_.text(node.message)});
  {
    Block inner(*this);
    block(node.body);
  }
  builder_.emit(End{});
}

// A condition that is known is tested here, any other where the run comes to it.
void Elaborator::statement(const ast::Require& node) {
  const ValueId condition = scalar(node.condition);
  if (condition == no_value) return;
  const auto known = builder_.program().constant(condition);
  const std::string message =
      node.message.empty() ? "a requirement of the kernel does not hold" : node.message;
  if (!known) {
    at(node.loc);
    builder_.emit(Require{condition, builder_.text(message)});
    return;
  }
  if (*known != 0) return;
  fail(node.loc, message);
  const std::vector<std::string> values = known_values(node.condition);
  Note note{node.condition.loc(), "this requirement is not met"};
  if (!values.empty()) note.message += fmt::format(", where {}", fmt::join(values, ", "));
  auto& notes = diags_.back().notes;
  notes.insert(notes.begin(), std::move(note));
}

// `name = 3` for each name in a condition that is a known number.
std::vector<std::string> Elaborator::known_values(const ast::Expression& condition) const {
  struct Names : ast::Visitor {
    using Visitor::meet;
    void meet(const ast::Expression& expression) override {
      if (const auto* name = expression.as<ast::Name>()) found.push_back(name->name);
    }
    std::vector<std::string> found;
  } names;
  walk(condition, names);
  std::vector<std::string> values;
  for (const std::string& name : names.found) {
    const Entity* entity = scope_->find(name);
    if (!entity || !known_number(*entity)) continue;
    const Value& known = builder_.program().value(entity->value);
    std::string text = entity->kind == Entity::Kind::real
                           ? fmt::format("{} = {}", name, known.real)
                           : fmt::format("{} = {}", name, known.integer);
    if (std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(std::move(text));
  }
  return values;
}

// name = value: a new name for it, or, when the name is memory, a store. name(i) = value: a
// function or an array.
void Elaborator::statement(const ast::Definition& node) {
  if (!node.parameters.empty()) {
    if (std::holds_alternative<ast::LoopVariable>(node.parameters[0])) {
      Entity array = define_array(node);
      if (array.kind != Entity::Kind::nothing) bind(node.name, std::move(array), node.loc);
      return;
    }
    bind(node.name, {.kind = Entity::Kind::closure, .definition = &node, .environment = scope_},
         node.loc);
    return;
  }
  if (const Entity* known = scope_->find(node.name); known && known->kind == Entity::Kind::view) {
    store(Slice(known->slice), node.value, node.loc);
    return;
  }
  Entity entity = evaluate(node.value);
  if (entity.kind == Entity::Kind::nothing) {
    scope_->names.try_emplace(node.name);  // so that its uses are not reported too
    return;
  }
  if (entity.kind == Entity::Kind::record && entity.environment->names.empty()) {
    fail(node.loc, "this call has no value");
    return;
  }
  const auto* other = node.value.as<ast::Name>();
  if (entity.kind == Entity::Kind::view && other != nullptr) {
    fail(node.loc, fmt::format("`{0}` is no memory and takes no copy of `{1}`; expected a "
                               "declaration of `{0}` before, or `{0} = view({1})` for another "
                               "name of it",
                               node.name, other->name));
    scope_->names.try_emplace(node.name);
    return;
  }
  bind(node.name, name_result(std::move(entity), node.name), node.loc);
}

// The value is called by the source's name if nothing named it before.
Entity Elaborator::name_result(Entity entity, const std::string& name) {
  Program& program = builder_.program();
  if (entity.kind == Entity::Kind::scalar || entity.kind == Entity::Kind::real) {
    Value& v = program.values[static_cast<std::size_t>(entity.value)];
    const bool fresh =
        v.statement >= 0 && v.statement == static_cast<std::int32_t>(program.body.size()) - 1;
    if (fresh && !v.constant) v.name = name;
  } else if (entity.kind == Entity::Kind::view) {
    Value& v = program.values[static_cast<std::size_t>(entity.slice.base)];
    if (v.index < 0 && v.statement == static_cast<std::int32_t>(program.body.size()) - 1)
      v.name = name;
    if (v.index >= 0) {
      Buffer& b = program.buffers[static_cast<std::size_t>(v.index)];
      if (b.role == Role::scratch && &b == &program.buffers.back() && v.statement < 0 &&
          b.name != name &&
          (b.name.starts_with("sums") || b.name.starts_with("joined") ||
           b.name.starts_with("iota") || b.name.starts_with("repeat")))
        builder_.rename(entity.slice.base, name);
    }
  }
  return entity;
}

Entity Elaborator::define_array(const ast::Definition& node) {
  if (node.parameters.size() != 1)
    return fail(node.loc, "an array is defined over one index: name(i in n) = value");
  const auto& variable = std::get<ast::LoopVariable>(node.parameters[0]);
  const auto length = constant(variable.range, "the length of an array");
  if (!length) return {};
  at(node.loc);
  const Entity array = new_array(node.name, *length);
  const ValueId i =
      builder_.emit(For{builder_.integer(0), builder_.integer(*length), 0}, variable.name);
  {
    Block inner(*this);
    scope_->names[variable.name] = scalar_entity(i);
    const ValueId value = scalar(node.value);
    if (value == no_value) {
      builder_.emit(End{});
      return {};
    }
    at(node.loc);
    builder_.emit(Store{builder_.element(array.slice.base, {&i, 1}), value});
  }
  builder_.emit(End{});
  return array;
}

void Elaborator::statement(const ast::Assignment& node) {
  const Entity target = place(node.target);
  if (target.kind == Entity::Kind::nothing) return;
  if (target.kind != Entity::Kind::view) {
    fail(node.target.loc(), fmt::format("{} cannot be assigned to", describe(target)));
    return;
  }
  if (!node.op) {
    store(target.slice, node.value, node.loc);
    return;
  }
  const auto* product = node.value.as<ast::Binary>();
  if (node.op == ast::Operator::add && product != nullptr && product->op == ast::Operator::product)
    return multiply_add(target.slice, *product);
  if (ref_info(builder_.program(), target.slice.base).space == Space::smem)
    update_number(target.slice, node);
  else
    update_tile(target.slice, node);
}

void Elaborator::update_number(const Slice& slice, const ast::Assignment& node) {
  const Entity old = load(slice);
  if (old.kind != Entity::Kind::scalar) {
    fail(node.target.loc(),
         fmt::format("scalar memory of {} is read; only integers are stored to it",
                     name(ref_info(builder_.program(), slice.base).dtype)),
         ErrorCode::invalid_type);
    return;
  }
  const ValueId other = scalar(node.value);
  if (other == no_value) return;
  at(node.loc);
  builder_.emit(Store{slice, builder_.emit(scalar_op(*node.op, old.value, other))});
}

void Elaborator::update_tile(const Slice& slice, const ast::Assignment& node) {
  const auto other = operand(tile(node.value, nullptr), node.value.loc());
  if (!other) return;
  tile_elementwise(tile_op(*node.op), {slice, *other}, node.loc, &slice);
}

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

// A condition that is known when the kernel is instantiated chooses a block, whose names then
// belong around it.
void Elaborator::statement(const ast::If& node) {
  const ValueId condition = scalar(node.condition);
  if (condition == no_value) return;
  if (const auto known = builder_.program().constant(condition)) {
    if (*known != 0)
      block(node.then);
    else if (node.otherwise)
      block(*node.otherwise);
    return;
  }
  if (const ast::Statement* open = return_in(node); open && depth_ > 0) {
    result_ = fail(open->loc(),
                   "the condition around this `return` is not known when the kernel is "
                   "instantiated; expected `return condition ? a : b`");
    return;
  }
  at(node.loc);
  builder_.emit(If{condition});
  {
    Block inner(*this);
    block(node.then);
  }
  if (node.otherwise) {
    builder_.emit(Else{});
    Block inner(*this);
    block(*node.otherwise);
  }
  builder_.emit(End{});
}

// The result of the function being inlined: one value, or named ones.
void Elaborator::statement(const ast::Return& node) {
  if (refuse_return(node.loc)) return;
  result_ = evaluate(node.value);
}

void Elaborator::statement(const ast::ReturnNamed& node) {
  if (refuse_return(node.loc)) return;
  result_ = {.kind = Entity::Kind::record, .environment = environment(nullptr)};
  // An entry sees what the function knows, then the other entries.
  Environment* entries = environment(scope_);
  entries->fallback = result_.environment;
  for (const ast::Definition& entry : node.entries) {
    Entity value;
    if (!entry.parameters.empty())
      value = {.kind = Entity::Kind::closure, .definition = &entry, .environment = entries};
    else
      value = evaluate(entry.value);
    result_.environment->names[entry.name] = std::move(value);
  }
}

bool Elaborator::refuse_return(const Loc& loc) {
  if (depth_ > 0) return false;
  fail(loc, "a kernel returns nothing; `return` stands in functions");
  return true;
}

}  // namespace tessera
