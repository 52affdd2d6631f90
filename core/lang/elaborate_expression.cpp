#include <fmt/format.h>

#include <utility>

#include "core/lang/elaborate.h"
#include "core/lang/operators.h"

namespace tessera {
namespace {

constexpr int max_levels =
    600;  // of expressions inside each other, through the calls that are inlined

}  // namespace

const Entity* Environment::find(std::string_view name) const {
  for (const Environment* e = this; e; e = e->parent)
    if (const auto it = e->names.find(name); it != e->names.end()) return &it->second;
  for (const Environment* e = this; e; e = e->parent)
    if (e->fallback)
      if (const auto it = e->fallback->names.find(name); it != e->fallback->names.end())
        return &it->second;
  return nullptr;
}

Entity Elaborator::fail(const Loc& loc, std::string message, ErrorCode code) {
  Diag diag{code, loc, std::move(message), {}};
  for (std::int32_t place = caller_; place >= 0;
       place = builder_.program().places[static_cast<std::size_t>(place)].caller)
    diag.notes.push_back({builder_.program().loc(place), "called from here"});
  diags_.push_back(std::move(diag));
  return {};
}

std::string Elaborator::describe(const Entity& entity) const {
  switch (entity.kind) {
    case Entity::Kind::nothing:
      return "nothing";
    case Entity::Kind::scalar:
      return "an integer";
    case Entity::Kind::real:
      return "a real number";
    case Entity::Kind::view:
      return fmt::format("memory of type {}",
                         name(ref_info(builder_.program(), entity.slice.base).dtype));
    case Entity::Kind::sem:
      return "a semaphore";
    case Entity::Kind::range:
      return "a range";
    case Entity::Kind::record:
      return "the results of a function";
    case Entity::Kind::closure:
      return "a function of an index";
    case Entity::Kind::type:
      return "an element type";
    case Entity::Kind::text:
      return "a text";
  }
  return "?";
}

Entity Elaborator::evaluate(const ast::Expression& node) {
  if (levels_ >= max_levels) return fail(node.loc(), "expressions and calls are nested too deeply");
  ++levels_;
  Entity result = evaluate_here(node);
  --levels_;
  return result;
}

Entity Elaborator::evaluate_here(const ast::Expression& node) {
  return std::visit([&](const auto& form) { return evaluate_form(form); }, node.form);
}

Entity Elaborator::evaluate_form(const ast::Integer& node) {
  return scalar_entity(builder_.integer(node.value));
}

Entity Elaborator::evaluate_form(const ast::Real& node) { return real_entity(node.value); }

Entity Elaborator::evaluate_form(const ast::Text& node) {
  return {.kind = Entity::Kind::text, .text = node.value};
}

Entity Elaborator::evaluate_form(const ast::Name& node) {
  if (const Entity* found = scope_->find(node.name)) {
    if (!is_one_number(*found)) return *found;
    at(node.loc);
    return load(found->slice);
  }
  if (const auto type = parse_dtype(node.name)) return {.kind = Entity::Kind::type, .type = *type};
  if (node.name == "device")
    return at(node.loc), scalar_entity(builder_.emit(DeviceId{}, "device"));
  if (node.name == "core") return at(node.loc), scalar_entity(builder_.emit(CoreId{}, "core"));
  if (node.name == "devices" || node.name == "cores") return count_of(node);
  if (find_function(node.name))
    return fail(node.loc,
                fmt::format("function `{}` needs its arguments in parentheses", node.name));
  return fail(node.loc, fmt::format("unknown name `{}`", node.name));
}

// How many devices or cores there are: a number where one is wanted now, else known when it runs.
Entity Elaborator::count_of(const ast::Name& node) {
  const bool is_devices = node.name == "devices";
  if (constant_.empty()) {
    at(node.loc);
    return scalar_entity(is_devices ? builder_.emit(DeviceCount{}, "devices")
                                    : builder_.emit(CoreCount{}, "cores"));
  }
  const int known = is_devices ? launch_.devices : launch_.cores;
  if (known == 0)
    return fail(node.loc, fmt::format("{} names `{}`, and the kernel is made without their number "
                                      "(--{}, or InstantiateOptions::{})",
                                      constant_, node.name, node.name, node.name));
  (is_devices ? builder_.program().devices : builder_.program().cores) = known;
  return scalar_entity(builder_.integer(known));
}

Entity Elaborator::evaluate_form(const ast::Call& node) { return call(node); }

Entity Elaborator::evaluate_form(const ast::MemberCall& node) { return call(node); }

// Calls of functions take it before it comes here.
Entity Elaborator::evaluate_form(const ast::NamedArgument& node) {
  return fail(node.loc, "expected an expression");
}

Entity Elaborator::evaluate_form(const ast::Negative& node) {
  const Entity operand = evaluate(*node.operand);
  if (operand.kind == Entity::Kind::nothing) return {};
  if (operand.kind == Entity::Kind::real)
    if (const auto number = known_number(operand)) return real_entity(-*number);
  if (is_tile(operand))
    return tile_elementwise(op_index<TileSub>(),
                            {Builder::number(builder_.integer(0)), operand.slice}, node.loc,
                            nullptr);
  const ValueId value = scalar(operand, node.operand->loc());
  if (value == no_value) return {};
  at(node.loc);
  return scalar_entity(builder_.sub(builder_.integer(0), value));
}

Entity Elaborator::evaluate_form(const ast::Not& node) {
  const ValueId value = scalar(*node.operand);
  if (value == no_value) return {};
  at(node.loc);
  return scalar_entity(builder_.emit(Not{value}));
}

Entity Elaborator::evaluate_form(const ast::Binary& node) { return binary(node, nullptr); }

// Each side is evaluated once, whatever it is. `to`: where a tile goes, or null for a temporary.
Entity Elaborator::binary(const ast::Binary& node, const Slice* to) {
  if (node.op == ast::Operator::product) return tile_matmul(node);
  const Entity left = evaluate(*node.left), right = evaluate(*node.right);
  if (left.kind == Entity::Kind::nothing || right.kind == Entity::Kind::nothing) return {};
  if (auto known = real_binary(node, left, right)) return *known;
  const auto is_of_tiles = [&](const Entity& side) {
    return is_tile(side) || side.kind == Entity::Kind::real;
  };
  return is_of_tiles(left) || is_of_tiles(right) ? tile_binary(node, left, right, to)
                                                 : scalar_binary(node, left, right);
}

Entity Elaborator::scalar_binary(const ast::Binary& node, const Entity& left, const Entity& right) {
  const ValueId a = scalar(left, node.left->loc()), b = scalar(right, node.right->loc());
  if (a == no_value || b == no_value) return {};
  at(node.loc);
  if (node.op == ast::Operator::limit && !builder_.program().constant(b))
    return fail(node.right->loc(),
                "the bound after `max` must be known when the kernel is instantiated");
  return scalar_entity(builder_.emit(scalar_op(node.op, a, b)));
}

// Both sides are evaluated; when the condition is known only the chosen one is.
Entity Elaborator::evaluate_form(const ast::Conditional& node) {
  const ValueId condition = scalar(*node.condition);
  if (condition == no_value) return {};
  if (const auto known = builder_.program().constant(condition))
    return evaluate(*known != 0 ? *node.a : *node.b);
  const ValueId a = scalar(*node.a), b = scalar(*node.b);
  if (a == no_value || b == no_value) return {};
  at(node.loc);
  return scalar_entity(builder_.select(condition, a, b));
}

Entity Elaborator::evaluate_form(const ast::Member& node) {
  const Entity base = evaluate(*node.base);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::record)
    return fail(node.loc, fmt::format("{} has no member `{}`", describe(base), node.name));
  if (const auto it = base.environment->names.find(node.name); it != base.environment->names.end())
    return it->second;
  std::string members;
  for (const auto& [member, entity] : base.environment->names)
    members += (members.empty() ? "" : ", ") + member;
  return fail(node.loc, fmt::format("no member `{}`; there are {}", node.name, members));
}

Entity Elaborator::evaluate_form(const ast::Index& node) {
  const Entity base = evaluate(*node.base);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::view && base.kind != Entity::Kind::sem)
    return fail(node.loc, fmt::format("{} cannot be indexed", describe(base)));
  const Entity part = index(base, node);
  return is_one_number(part) ? load(part.slice) : part;
}

// Scalar memory without dimensions, or what is left of it: its name means the number in it.
bool Elaborator::is_one_number(const Entity& entity) const {
  return entity.kind == Entity::Kind::view && kept(entity.slice).empty() &&
         ref_info(builder_.program(), entity.slice.base).space == Space::smem;
}

Entity Elaborator::load(const Slice& element) {
  if (is_float(ref_info(builder_.program(), element.base).dtype))
    return {.kind = Entity::Kind::real, .value = builder_.emit(LoadReal{element})};
  return scalar_entity(builder_.emit(Load{element}));
}

Entity Elaborator::index(const Entity& base, const ast::Index& node) {
  at(node.loc);
  const bool is_sem = base.kind == Entity::Kind::sem;
  Slice whole = base.slice;
  if (is_sem && whole.dropped != 0) return fail(node.loc, "this is one semaphore already");
  if (!is_sem) whole = whole_ref(whole);
  Slice slice = whole;
  const std::size_t items = node.items.size();
  const auto rank = static_cast<std::size_t>(whole.rank);
  if (items > rank || (is_sem && items != rank))
    return fail(node.loc, fmt::format("expected {} indices, one for each dimension, found {}",
                                      whole.rank, items));
  // Dimensions that are not named are whole.
  for (std::size_t d = 0; d < items; ++d)
    if (!add_item(node.items[d], whole.size[d], slice, d)) return {};
  return {.kind = base.kind, .slice = slice};
}

bool Elaborator::add_item(const ast::Item& item, ValueId extent, Slice& slice, std::size_t d) {
  if (std::holds_alternative<ast::WholeDimension>(item.form)) {
    slice.start[d] = builder_.integer(0);
    slice.size[d] = extent;
    return true;
  }
  if (const auto* span = std::get_if<ast::Span>(&item.form)) {
    slice.start[d] = scalar(*span->start);
    slice.size[d] = scalar(*span->size);
    return slice.start[d] != no_value && slice.size[d] != no_value;
  }
  const Entity entity = evaluate(*std::get<ast::Child>(item.form));
  if (entity.kind == Entity::Kind::range) {
    at(item.loc());
    slice.start[d] = entity.value;
    slice.size[d] = builder_.sub(entity.upper, entity.value);
    return true;
  }
  slice.start[d] = scalar(entity, item.loc());
  slice.size[d] = builder_.integer(1);
  slice.dropped |= static_cast<std::uint8_t>(1U << d);
  return slice.start[d] != no_value;
}

ValueId Elaborator::scalar(const Entity& entity, const Loc& loc) {
  if (entity.kind == Entity::Kind::scalar) return entity.value;
  if (entity.kind != Entity::Kind::nothing)
    fail(loc, fmt::format("expected an integer, found {}", describe(entity)),
         ErrorCode::invalid_type);
  return no_value;
}

ValueId Elaborator::scalar(const ast::Expression& node) {
  return scalar(evaluate(node), node.loc());
}

std::optional<std::int64_t> Elaborator::constant(const ast::Expression& node,
                                                 std::string_view what) {
  const std::string_view outer = std::exchange(constant_, what);
  const ValueId value = scalar(node);
  constant_ = outer;
  if (value == no_value) return std::nullopt;
  const auto known = builder_.program().constant(value);
  if (!known)
    fail(node.loc(), fmt::format("{} must be known when the kernel is instantiated", what));
  return known;
}

Entity Elaborator::evaluate_form(const ast::Range& node) {
  const ValueId lower = scalar(*node.lower), upper = scalar(*node.upper);
  if (lower == no_value || upper == no_value) return {};
  return {.kind = Entity::Kind::range, .value = lower, .upper = upper};
}

Entity Elaborator::range(const ast::Expression& node) {
  const Entity entity = evaluate(node);
  if (entity.kind == Entity::Kind::range || entity.kind == Entity::Kind::nothing) return entity;
  const ValueId count = scalar(entity, node.loc());
  if (count == no_value) return {};
  return {.kind = Entity::Kind::range, .value = builder_.integer(0), .upper = count};
}

}  // namespace tessera
