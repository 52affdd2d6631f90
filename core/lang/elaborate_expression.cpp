#include <fmt/format.h>

#include <utility>

#include "core/lang/elaborate.h"

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

Entity Elaborator::fail(const Node& node, std::string message, ErrorCode code) {
  Diag diag{code, node.loc, std::move(message), {}};
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

Entity Elaborator::evaluate(const Node& node) {
  if (levels_ >= max_levels) return fail(node, "expressions and calls are nested too deeply");
  ++levels_;
  Entity result = evaluate_here(node);
  --levels_;
  return result;
}

Entity Elaborator::evaluate_here(const Node& node) {
  switch (node.kind) {
    case NodeKind::integer:
      return scalar_entity(builder_.integer(node.integer));
    case NodeKind::real:
      return real_entity(node.real);
    case NodeKind::text:
      return {.kind = Entity::Kind::text, .text = node.text};
    case NodeKind::name:
      return evaluate_name(node);
    case NodeKind::call:
      return call(node);
    case NodeKind::index:
      return evaluate_index(node);
    case NodeKind::member:
      return evaluate_member(node);
    case NodeKind::unary:
      return evaluate_unary(node);
    case NodeKind::binary:
      return evaluate_binary(node, nullptr);
    case NodeKind::conditional:
      return evaluate_conditional(node);
    case NodeKind::range:
      return range(node);
    default:
      return fail(node, "expected an expression");
  }
}

Entity Elaborator::evaluate_name(const Node& node) {
  if (const Entity* found = scope_->find(node.text)) {
    if (!is_one_number(*found)) return *found;
    at(node);
    return load(found->slice);
  }
  if (const auto type = parse_dtype(node.text)) return {.kind = Entity::Kind::type, .type = *type};
  if (node.text == "device") return at(node), scalar_entity(builder_.emit(DeviceId{}, "device"));
  if (node.text == "core") return at(node), scalar_entity(builder_.emit(CoreId{}, "core"));
  if (node.text == "devices" || node.text == "cores") return count_of(node);
  if (find_function(node.text))
    return fail(node, fmt::format("function `{}` needs its arguments in parentheses", node.text));
  return fail(node, fmt::format("unknown name `{}`", node.text));
}

// How many devices or cores there are: a number where one is wanted now, else known when it runs.
Entity Elaborator::count_of(const Node& name) {
  const bool is_devices = name.text == "devices";
  if (constant_.empty()) {
    at(name);
    return scalar_entity(is_devices ? builder_.emit(DeviceCount{}, "devices")
                                    : builder_.emit(CoreCount{}, "cores"));
  }
  const int known = is_devices ? launch_.devices : launch_.cores;
  if (known == 0)
    return fail(name, fmt::format("{} names `{}`, and the kernel is made without their number "
                                  "(--{}, or InstantiateOptions::{})",
                                  constant_, name.text, name.text, name.text));
  (is_devices ? builder_.program().devices : builder_.program().cores) = known;
  return scalar_entity(builder_.integer(known));
}

Entity Elaborator::evaluate_unary(const Node& node) {
  const Entity operand = evaluate(node.kids[0]);
  if (operand.kind == Entity::Kind::nothing) return {};
  if (operand.kind == Entity::Kind::real && node.text == "-")
    if (const auto number = known_number(operand)) return real_entity(-*number);
  if (node.text == "-" && is_tile(operand)) {
    return tile_elementwise(op_index<TileSub>(),
                            {Builder::number(builder_.integer(0)), operand.slice}, node, nullptr);
  }
  const ValueId value = scalar(operand, node.kids[0]);
  if (value == no_value) return {};
  at(node);
  if (node.text == "not") return scalar_entity(builder_.emit(Not{value}));
  return scalar_entity(builder_.sub(builder_.integer(0), value));
}

// Each side is evaluated once, whatever it is. `to`: where a tile goes, or null for a temporary.
Entity Elaborator::evaluate_binary(const Node& node, const Slice* to) {
  if (node.text == ".") return tile_matmul(node);
  const Entity left = evaluate(node.kids[0]), right = evaluate(node.kids[1]);
  if (left.kind == Entity::Kind::nothing || right.kind == Entity::Kind::nothing) return {};
  if (auto known = real_binary(node, left, right)) return *known;
  const auto is_of_tiles = [&](const Entity& side) {
    return is_tile(side) || side.kind == Entity::Kind::real;
  };
  return is_of_tiles(left) || is_of_tiles(right) ? tile_binary(node, left, right, to)
                                                 : scalar_binary(node, left, right);
}

Entity Elaborator::scalar_binary(const Node& node, const Entity& left, const Entity& right) {
  const ValueId a = scalar(left, node.kids[0]), b = scalar(right, node.kids[1]);
  if (a == no_value || b == no_value) return {};
  at(node);
  if (node.text == "+") return scalar_entity(builder_.emit(Add{a, b}));
  if (node.text == "-") return scalar_entity(builder_.emit(Sub{a, b}));
  if (node.text == "*") return scalar_entity(builder_.emit(Mul{a, b}));
  if (node.text == "/") return scalar_entity(builder_.emit(Div{a, b}));
  if (node.text == "mod") return scalar_entity(builder_.emit(Mod{a, b}));
  if (node.text == "and") return scalar_entity(builder_.emit(And{a, b}));
  if (node.text == "or") return scalar_entity(builder_.emit(Or{a, b}));
  if (node.text == "==") return scalar_entity(builder_.emit(Eq{a, b}));
  if (node.text == "!=") return scalar_entity(builder_.emit(Ne{a, b}));
  if (node.text == "<") return scalar_entity(builder_.emit(Lt{a, b}));
  if (node.text == "<=") return scalar_entity(builder_.emit(Le{a, b}));
  if (node.text == ">") return scalar_entity(builder_.emit(Lt{b, a}));
  if (node.text == ">=") return scalar_entity(builder_.emit(Le{b, a}));
  const auto bound = builder_.program().constant(b);
  if (!bound)
    return fail(node.kids[1],
                "the bound after `max` must be known when the kernel is instantiated");
  return scalar_entity(builder_.emit(Limit{a, b}));
}

// Both sides are evaluated; when the condition is known only the chosen one is.
Entity Elaborator::evaluate_conditional(const Node& node) {
  const ValueId condition = scalar(node.kids[0]);
  if (condition == no_value) return {};
  if (const auto known = builder_.program().constant(condition))
    return evaluate(node.kids[*known != 0 ? 1 : 2]);
  const ValueId a = scalar(node.kids[1]), b = scalar(node.kids[2]);
  if (a == no_value || b == no_value) return {};
  at(node);
  return scalar_entity(builder_.select(condition, a, b));
}

Entity Elaborator::evaluate_member(const Node& node) {
  const Entity base = evaluate(node.kids[0]);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::record)
    return fail(node, fmt::format("{} has no member `{}`", describe(base), node.text));
  if (const auto it = base.environment->names.find(node.text); it != base.environment->names.end())
    return it->second;
  std::string members;
  for (const auto& [member, entity] : base.environment->names)
    members += (members.empty() ? "" : ", ") + member;
  return fail(node, fmt::format("no member `{}`; there are {}", node.text, members));
}

Entity Elaborator::evaluate_index(const Node& node) {
  const Entity base = evaluate(node.kids[0]);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::view && base.kind != Entity::Kind::sem)
    return fail(node, fmt::format("{} cannot be indexed", describe(base)));
  const Entity part = index(base, node, 1);
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

Entity Elaborator::index(const Entity& base, const Node& node, std::size_t first_item) {
  at(node);
  const bool is_sem = base.kind == Entity::Kind::sem;
  Slice whole = base.slice;
  if (is_sem ? whole.dropped != 0 : false) return fail(node, "this is one semaphore already");
  if (!is_sem) whole = whole_ref(whole);
  Slice slice = whole;
  const std::size_t items = node.kids.size() - first_item;
  const auto rank = static_cast<std::size_t>(whole.rank);
  if (items > rank || (is_sem && items != rank))
    return fail(node, fmt::format("expected {} indices, one for each dimension, found {}",
                                  whole.rank, items));
  // Dimensions that are not named are whole.
  for (int d = 0; d < static_cast<int>(items); ++d)
    if (!add_item(node.kids[first_item + static_cast<std::size_t>(d)],
                  whole.size[static_cast<std::size_t>(d)], slice, d))
      return {};
  return {.kind = base.kind, .slice = slice};
}

bool Elaborator::add_item(const Node& item, ValueId extent, Slice& slice, int dim) {
  const auto d = static_cast<std::size_t>(dim);
  if (item.kind == NodeKind::item_all) {
    slice.start[d] = builder_.integer(0);
    slice.size[d] = extent;
    return true;
  }
  if (item.kind == NodeKind::item_span) {
    slice.start[d] = scalar(item.kids[0]);
    slice.size[d] = scalar(item.kids[1]);
    return slice.start[d] != no_value && slice.size[d] != no_value;
  }
  const Entity entity = evaluate(item);
  if (entity.kind == Entity::Kind::range) {
    at(item);
    slice.start[d] = entity.value;
    slice.size[d] = builder_.sub(entity.upper, entity.value);
    return true;
  }
  slice.start[d] = scalar(entity, item);
  slice.size[d] = builder_.integer(1);
  slice.dropped |= static_cast<std::uint8_t>(1U << d);
  return slice.start[d] != no_value;
}

ValueId Elaborator::scalar(const Entity& entity, const Node& node) {
  if (entity.kind == Entity::Kind::scalar) return entity.value;
  if (entity.kind != Entity::Kind::nothing)
    fail(node, fmt::format("expected an integer, found {}", describe(entity)),
         ErrorCode::invalid_type);
  return no_value;
}

ValueId Elaborator::scalar(const Node& node) { return scalar(evaluate(node), node); }

std::optional<std::int64_t> Elaborator::constant(const Node& node, std::string_view what) {
  const std::string_view outer = std::exchange(constant_, what);
  const ValueId value = scalar(node);
  constant_ = outer;
  if (value == no_value) return std::nullopt;
  const auto known = builder_.program().constant(value);
  if (!known) fail(node, fmt::format("{} must be known when the kernel is instantiated", what));
  return known;
}

Entity Elaborator::range(const Node& node) {
  if (node.kind == NodeKind::range) {
    const ValueId lower = scalar(node.kids[0]), upper = scalar(node.kids[1]);
    if (lower == no_value || upper == no_value) return {};
    return {.kind = Entity::Kind::range, .value = lower, .upper = upper};
  }
  const Entity entity = evaluate(node);
  if (entity.kind == Entity::Kind::range || entity.kind == Entity::Kind::nothing) return entity;
  const ValueId count = scalar(entity, node);
  if (count == no_value) return {};
  return {.kind = Entity::Kind::range, .value = builder_.integer(0), .upper = count};
}

}  // namespace tessera
