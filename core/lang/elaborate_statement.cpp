#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/lang/elaborate_block.h"

namespace tessera {

void Elaborator::free_scoped(std::size_t from) {
  while (scoped_.size() > from) {
    builder_.emit(Free{builder_.whole(scoped_.back())});
    scoped_.pop_back();
  }
}

void Elaborator::at(const Node& node) {
  const auto& places = builder_.program().places;
  if (!places.empty()) {
    const Place& last = places.back();
    if (last.caller == caller_ && last.loc.source == node.loc.source &&
        last.loc.line == node.loc.line && last.loc.column == node.loc.column &&
        last.loc.width == node.loc.width)
      return builder_.at_place(static_cast<std::int32_t>(places.size()) - 1);
  }
  builder_.at(node.loc, caller_);
}

void Elaborator::bind(const std::string& name, Entity entity, const Node& node) {
  if (const Entity* known = scope_->find(name)) {
    if (known->kind != Entity::Kind::nothing)
      fail(node, fmt::format("`{}` is already defined; a name keeps its value", name));
    return;
  }
  scope_->names[name] = std::move(entity);
}

void Elaborator::block(const Node& node) {
  for (const Node& kid : node.kids) statement(kid);
}

void Elaborator::statement(const Node& node) {
  switch (node.kind) {
    case NodeKind::define:
      return define(node);
    case NodeKind::assign:
      return assign(node);
    case NodeKind::for_loop:
      return loop(node);
    case NodeKind::if_else:
      return branch(node);
    case NodeKind::pipeline:
      return pipeline(node);
    case NodeKind::grid:
      return grid(node.kids[0]);
    case NodeKind::window:
      return window(node);
    case NodeKind::start:
      return start(node);
    case NodeKind::copy:
      return copy(node);
    case NodeKind::wait:
    case NodeKind::wait_for:
      return wait(node);
    case NodeKind::signal:
      return signal(node);
    case NodeKind::operate:
      return operate(node);
    case NodeKind::returns:
      return returns(node);
    case NodeKind::scoped:
      return declare(node.kids[0], true);
    case NodeKind::expression: {
      evaluate(node.kids[0]);
      return;
    }
    case NodeKind::require:
      return require(node);
    case NodeKind::trace: {
      at(node);
      builder_.emit(Trace{node.integer, builder_.text(node.text)});
      {
        Block inner(*this);
        block(node.kids[0]);
      }
      builder_.emit(End{});
      return;
    }
    default:
      fail(node, "expected a statement");
  }
}

// A condition that is known is tested here, any other where the run comes to it.
void Elaborator::require(const Node& node) {
  const ValueId condition = scalar(node.kids[0]);
  if (condition == no_value) return;
  const auto known = builder_.program().constant(condition);
  const std::string message =
      node.text.empty() ? "a requirement of the kernel does not hold" : node.text;
  if (!known) {
    at(node);
    builder_.emit(Require{condition, builder_.text(message)});
    return;
  }
  if (*known != 0) return;
  fail(node, message);
  std::vector<std::string> values;
  add_values(node.kids[0], values);
  Note note{node.kids[0].loc, "this requirement is not met"};
  if (!values.empty()) note.message += fmt::format(", where {}", fmt::join(values, ", "));
  auto& notes = diags_.back().notes;
  notes.insert(notes.begin(), std::move(note));
}

// `name = 3` for each name in a condition that is a known number.
void Elaborator::add_values(const Node& condition, std::vector<std::string>& values) const {
  if (condition.kind == NodeKind::name) {
    const Entity* found = scope_->find(condition.text);
    if (!found || !known_number(*found)) return;
    const Value& known = builder_.program().value(found->value);
    std::string text = found->kind == Entity::Kind::real
                           ? fmt::format("{} = {}", condition.text, known.real)
                           : fmt::format("{} = {}", condition.text, known.integer);
    if (std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(std::move(text));
  }
  for (const Node& kid : condition.kids) add_values(kid, values);
}

// name = value: a new name for it, or, when the name is memory, a store. name(i) = value: a
// function or an array.
void Elaborator::define(const Node& node) {
  const Node& value = node.kids.back();
  if (node.kids.size() > 1) {
    if (node.kids[0].kind == NodeKind::loop_variable) {
      Entity array = define_array(node);
      if (array.kind != Entity::Kind::nothing) bind(node.text, std::move(array), node);
      return;
    }
    bind(node.text, {.kind = Entity::Kind::closure, .definition = &node, .environment = scope_},
         node);
    return;
  }
  if (const Entity* known = scope_->find(node.text); known && known->kind == Entity::Kind::view) {
    store(Slice(known->slice), value, node);
    return;
  }
  Entity entity = value.kind == NodeKind::range ? range(value) : evaluate(value);
  if (entity.kind == Entity::Kind::nothing) {
    scope_->names.try_emplace(node.text);  // so that its uses are not reported too
    return;
  }
  if (entity.kind == Entity::Kind::record && entity.environment->names.empty()) {
    fail(node, "this call has no value");
    return;
  }
  if (entity.kind == Entity::Kind::view && value.kind == NodeKind::name) {
    fail(node, fmt::format("`{0}` is no memory and takes no copy of `{1}`; expected a declaration "
                           "of `{0}` before, or `{0} = view({1})` for another name of it",
                           node.text, value.text));
    scope_->names.try_emplace(node.text);
    return;
  }
  bind(node.text, name_result(std::move(entity), node.text), node);
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

Entity Elaborator::define_array(const Node& node) {
  if (node.kids.size() != 2)
    return fail(node, "an array is defined over one index: name(i in n) = value");
  const Node& variable = node.kids[0];
  const auto length = constant(variable.kids[0], "the length of an array");
  if (!length) return {};
  at(node);
  const Entity array = new_array(node.text, *length);
  const ValueId i =
      builder_.emit(For{builder_.integer(0), builder_.integer(*length), 0}, variable.text);
  {
    Block inner(*this);
    scope_->names[variable.text] = scalar_entity(i);
    const ValueId value = scalar(node.kids.back());
    if (value == no_value) {
      builder_.emit(End{});
      return {};
    }
    at(node);
    builder_.emit(Store{builder_.element(array.slice.base, {&i, 1}), value});
  }
  builder_.emit(End{});
  return array;
}

void Elaborator::assign(const Node& node) {
  const Node& left = node.kids[0];
  const Entity target = place(left);
  if (target.kind == Entity::Kind::nothing) return;
  if (target.kind != Entity::Kind::view) {
    fail(left, fmt::format("{} cannot be assigned to", describe(target)));
    return;
  }
  const Slice slice = target.slice;
  const Node& value = node.kids[1];
  if (node.text == "=") {
    store(slice, value, node);
    return;
  }
  if (node.text == "+=" && value.kind == NodeKind::binary && value.text == ".")
    return multiply_add(slice, value);
  if (ref_info(builder_.program(), slice.base).space == Space::smem) {
    const Entity old = load(slice);
    if (old.kind != Entity::Kind::scalar) {
      fail(left,
           fmt::format("scalar memory of {} is read; only integers are stored to it",
                       name(ref_info(builder_.program(), slice.base).dtype)),
           ErrorCode::invalid_type);
      return;
    }
    const ValueId other = scalar(value);
    if (other == no_value) return;
    at(node);
    builder_.emit(Store{slice, node.text == "+="   ? builder_.add(old.value, other)
                               : node.text == "-=" ? builder_.sub(old.value, other)
                               : node.text == "*=" ? builder_.mul(old.value, other)
                                                   : builder_.emit(Div{old.value, other})});
    return;
  }
  const auto other = operand(tile(value, nullptr), value);
  if (!other) return;
  const std::size_t op = node.text == "+="   ? op_index<TileAdd>()
                         : node.text == "-=" ? op_index<TileSub>()
                         : node.text == "*=" ? op_index<TileMul>()
                                             : op_index<TileDiv>();
  tile_elementwise(op, {slice, *other}, node, &slice);
}

namespace {

// A `return` in a branch, or null. The parser has seen to it that one stands at the end only.
const Node* return_in(const Node& branch) {
  for (std::size_t i = 1; i < branch.kids.size(); ++i) {
    if (branch.kids[i].kids.empty()) continue;
    const Node& last = branch.kids[i].kids.back();
    if (last.kind == NodeKind::returns) return &last;
    if (last.kind != NodeKind::if_else) continue;
    if (const Node* inner = return_in(last)) return inner;
  }
  return nullptr;
}

}  // namespace

// A condition that is known when the kernel is instantiated chooses a block, whose names then
// belong around it.
void Elaborator::branch(const Node& node) {
  const ValueId condition = scalar(node.kids[0]);
  if (condition == no_value) return;
  if (const auto known = builder_.program().constant(condition)) {
    if (*known != 0)
      block(node.kids[1]);
    else if (node.kids.size() > 2)
      block(node.kids[2]);
    return;
  }
  if (const Node* open = return_in(node); open && depth_ > 0) {
    result_ = fail(*open,
                   "the condition around this `return` is not known when the kernel is "
                   "instantiated; expected `return condition ? a : b`");
    return;
  }
  at(node);
  builder_.emit(If{condition});
  {
    Block inner(*this);
    block(node.kids[1]);
  }
  if (node.kids.size() > 2) {
    builder_.emit(Else{});
    Block inner(*this);
    block(node.kids[2]);
  }
  builder_.emit(End{});
}

// The result of the function being inlined: one value, or named ones.
void Elaborator::returns(const Node& node) {
  if (depth_ == 0) {
    fail(node, "a kernel returns nothing; `return` stands in functions");
    return;
  }
  if (node.kids.size() == 1 && node.kids[0].kind != NodeKind::define) {
    result_ = evaluate(node.kids[0]);
    return;
  }
  result_ = {.kind = Entity::Kind::record, .environment = environment(nullptr)};
  // An entry sees what the function knows, then the other entries.
  Environment* entries = environment(scope_);
  entries->fallback = result_.environment;
  for (const Node& entry : node.kids) {
    Entity value;
    if (entry.kids.size() > 1)
      value = {.kind = Entity::Kind::closure, .definition = &entry, .environment = entries};
    else
      value =
          entry.kids[0].kind == NodeKind::range ? range(entry.kids[0]) : evaluate(entry.kids[0]);
    result_.environment->names[entry.text] = std::move(value);
  }
}

}  // namespace tessera
