#include "core/lang/expression_lowering.h"

#include <fmt/format.h>

#include <utility>

#include "core/lang/foreign_words.h"
#include "core/lang/functions.h"
#include "core/lang/operators.h"
#include "core/lang/place_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/word_lowering.h"

namespace tessera {
namespace {

constexpr int max_levels = 600;  // nested expressions, across inlined calls

// Returns the number of devices or cores: a constant if a known value is required, otherwise a
// run-time value.
Entity count_of(Elaboration& e, const ast::Name& node) {
  const bool is_devices = node.name == "devices";
  if (e.known_for.empty()) {
    e.at(node.loc);
    return scalar_entity(is_devices ? e.builder.emit(DeviceCount{}, "devices")
                                    : e.builder.emit(CoreCount{}, "cores"));
  }
  const int known = is_devices ? e.launch.devices : e.launch.cores;
  if (known == 0)
    return e.fail(node.loc,
                  fmt::format("{} uses `{}`, which is not known here: set it with the option `{}`",
                              e.known_for, node.name, node.name));
  (is_devices ? e.program().devices : e.program().cores) = known;
  return scalar_entity(e.builder.integer(known));
}

Entity scalar_binary(Elaboration& e, const ast::Binary& node, const Entity& left,
                     const Entity& right) {
  const ValueId a = scalar(e, left, node.left->loc()), b = scalar(e, right, node.right->loc());
  if (a == no_value || b == no_value) return {};
  e.at(node.loc);
  if (node.op == ast::Operator::limit && !e.program().constant(b))
    return e.fail(node.right->loc(),
                  "the bound after `max` must be known when the kernel is instantiated");
  return scalar_entity(e.builder.emit(scalar_op(node.op, a, b)));
}

// Evaluates each side once. to: target of a tile; null: a temporary.
Entity binary(Elaboration& e, const ast::Binary& node, const Slice* to) {
  if (node.op == ast::Operator::product) return matmul(e, node);
  const Entity left = evaluate(e, *node.left), right = evaluate(e, *node.right);
  if (left.kind == Entity::Kind::nothing || right.kind == Entity::Kind::nothing) return {};
  if (auto known = real_binary(e, node, left, right)) return *known;
  const auto is_of_tiles = [&](const Entity& side) {
    return is_tile(side) || side.kind == Entity::Kind::real;
  };
  return is_of_tiles(left) || is_of_tiles(right) ? tile_binary(e, node, left, right, to)
                                                 : scalar_binary(e, node, left, right);
}

Entity form(Elaboration& e, const ast::Integer& node) {
  return scalar_entity(e.builder.integer(node.value));
}

Entity form(Elaboration& e, const ast::Real& node) { return real_entity(e, node.value); }

Entity form(Elaboration&, const ast::Text& node) {
  return {.kind = Entity::Kind::text, .text = node.value};
}

Entity form(Elaboration& e, const ast::Name& node) {
  if (const Entity* found = e.names.find(node.name)) {
    if (!is_one_number(e, *found)) return *found;
    e.at(node.loc);
    return load(e, found->slice);
  }
  if (const auto type = parse_dtype(node.name)) return {.kind = Entity::Kind::type, .type = *type};
  if (node.name == "device")
    return e.at(node.loc), scalar_entity(e.builder.emit(DeviceId{}, "device"));
  if (node.name == "core") return e.at(node.loc), scalar_entity(e.builder.emit(CoreId{}, "core"));
  if (node.name == "devices" || node.name == "cores") return count_of(e, node);
  if (find_function(e, node.name))
    return e.fail(node.loc,
                  fmt::format("function `{}` needs its arguments in parentheses", node.name));
  if (const std::string_view ours = instead_of_name(node.name); !ours.empty())
    return e.fail(node.loc, fmt::format("unknown name `{}`; here it is {}", node.name, ours));
  return e.fail(node.loc, fmt::format("unknown name `{}`", node.name));
}

Entity form(Elaboration& e, const ast::Call& node) { return call(e, node); }

Entity form(Elaboration& e, const ast::MemberCall& node) { return call(e, node); }

// Named arguments of function calls are bound by the call; all others are errors.
Entity form(Elaboration& e, const ast::NamedArgument& node) {
  const bool is_axis = node.parameter == "axis" || node.parameter == "dim";
  return e.fail(
      node.loc,
      fmt::format("expected an expression, found `{} =`; {}", node.parameter,
                  is_axis ? "a dimension is a number, as in `reduce_max(x, 1)`"
                          : "only functions of the language and `mesh` take arguments by name"));
}

Entity form(Elaboration& e, const ast::Negative& node) {
  const Entity operand = evaluate(e, *node.operand);
  if (operand.kind == Entity::Kind::nothing) return {};
  if (operand.kind == Entity::Kind::real)
    if (const auto number = known_number(e, operand)) return real_entity(e, -*number);
  if (is_tile(operand) || operand.kind == Entity::Kind::real)
    return negative(e, {operand, node.operand->loc()}, node.loc);
  const ValueId value = scalar(e, operand, node.operand->loc());
  if (value == no_value) return {};
  e.at(node.loc);
  return scalar_entity(e.builder.sub(e.builder.integer(0), value));
}

Entity form(Elaboration& e, const ast::Not& node) {
  const Entity operand = evaluate(e, *node.operand);
  if (is_tile(operand))
    return e.fail(node.loc, "`not` is not defined for tiles; for a tile of 0 and 1 write `m == 0`");
  const ValueId value = scalar(e, operand, node.operand->loc());
  if (value == no_value) return {};
  e.at(node.loc);
  return scalar_entity(e.builder.emit(Not{value}));
}

Entity form(Elaboration& e, const ast::Binary& node) { return binary(e, node, nullptr); }

// Evaluates both sides, or only the selected side if the condition is known.
Entity form(Elaboration& e, const ast::Conditional& node) {
  const ValueId condition = scalar(e, *node.condition);
  if (condition == no_value) return {};
  if (const auto known = e.program().constant(condition))
    return evaluate(e, *known != 0 ? *node.a : *node.b);
  const Entity sides[] = {evaluate(e, *node.a), evaluate(e, *node.b)};
  for (const Entity& side : sides)
    if (is_tile(side))
      return e.fail(node.loc,
                    fmt::format("expected integers on both sides of `:`, found {}; for tiles, use "
                                "`select(c, a, b)` instead of `?`",
                                e.describe(side)),
                    ErrorCode::invalid_type);
  const ValueId a = scalar(e, sides[0], node.a->loc()), b = scalar(e, sides[1], node.b->loc());
  if (a == no_value || b == no_value) return {};
  e.at(node.loc);
  return scalar_entity(e.builder.select(condition, a, b));
}

// Returns the end of a message about a member that does not exist.
std::string instead_of(const ast::Member& node, bool is_known_name) {
  if (is_known_name) return "; the matrix product has blanks around its dot, as in `a . b`";
  const std::string_view ours = instead_of_member(node.name);
  return ours.empty() ? std::string() : fmt::format("; here it is {}", ours);
}

Entity form(Elaboration& e, const ast::Member& node) {
  const Entity base = evaluate(e, *node.base);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::record)
    return e.fail(node.loc, fmt::format("{} has no member `{}`{}", e.describe(base), node.name,
                                        instead_of(node, e.names.find(node.name) != nullptr)));
  if (const auto it = base.environment->names.find(node.name); it != base.environment->names.end())
    return it->second;
  std::string members;
  for (const auto& [member, entity] : base.environment->names)
    members += (members.empty() ? "" : ", ") + member;
  return e.fail(node.loc, fmt::format("no member `{}`; there are {}", node.name, members));
}

Entity form(Elaboration& e, const ast::Index& node) {
  const Entity base = evaluate(e, *node.base);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::view && base.kind != Entity::Kind::sem)
    return e.fail(node.loc, fmt::format("{} cannot be indexed", e.describe(base)));
  std::vector<DimensionStep> steps;
  Entity part = index_into(e, base, node, &steps);
  if (part.kind == Entity::Kind::nothing) return {};
  if (!steps.empty() && !is_tile_of_elements(e, part))
    return e.fail(node.loc,
                  fmt::format("a slice with a step requires a tile, found {}", e.describe(base)));
  for (const auto& [dim, step] : steps) part = every(e, part.slice, dim, step, node.loc);
  return is_one_number(e, part) ? load(e, part.slice) : part;
}

Entity form(Elaboration& e, const ast::ViewAs& node) { return view_as(e, node); }

Entity form(Elaboration& e, const ast::Range& node) {
  const ValueId lower = scalar(e, *node.lower), upper = scalar(e, *node.upper);
  if (lower == no_value || upper == no_value) return {};
  return {.kind = Entity::Kind::range, .value = lower, .upper = upper};
}

}  // namespace

Entity evaluate(Elaboration& e, const ast::Expression& node) {
  if (e.levels >= max_levels)
    return e.fail(node.loc(), "expressions and calls are nested too deeply");
  ++e.levels;
  Entity result = std::visit([&](const auto& f) { return form(e, f); }, node.form);
  --e.levels;
  return result;
}

Entity evaluate_into(Elaboration& e, const ast::Expression& node, const Slice* to) {
  if (const auto* binary_node = node.as<ast::Binary>()) return binary(e, *binary_node, to);
  if (const auto* call_node = node.as<ast::Call>()) return call(e, *call_node, to);
  if (const auto* call_node = node.as<ast::MemberCall>()) return call(e, *call_node);
  return evaluate(e, node);
}

Entity evaluate_known(Elaboration& e, const ast::Expression& node, std::string_view what) {
  const std::string_view outer = std::exchange(e.known_for, what);
  Entity result = evaluate(e, node);
  e.known_for = outer;
  return result;
}

ValueId scalar(Elaboration& e, const Entity& entity, const Loc& loc) {
  if (entity.kind == Entity::Kind::scalar) return entity.value;
  if (entity.kind != Entity::Kind::nothing)
    e.fail(loc, fmt::format("expected an integer, found {}", e.describe(entity)),
           ErrorCode::invalid_type);
  return no_value;
}

ValueId scalar(Elaboration& e, const ast::Expression& node) {
  return scalar(e, evaluate(e, node), node.loc());
}

std::optional<std::int64_t> constant(Elaboration& e, const ast::Expression& node,
                                     std::string_view what) {
  const ValueId value = scalar(e, evaluate_known(e, node, what), node.loc());
  if (value == no_value) return std::nullopt;
  const auto known = e.program().constant(value);
  if (!known)
    e.fail(node.loc(), fmt::format("{} must be known when the kernel is instantiated: a number, a "
                                   "parameter, or computed from these",
                                   what));
  return known;
}

Entity range(Elaboration& e, const ast::Expression& node) {
  const Entity entity = evaluate(e, node);
  if (entity.kind == Entity::Kind::range || entity.kind == Entity::Kind::nothing) return entity;
  const ValueId count = scalar(e, entity, node.loc());
  if (count == no_value) return {};
  return {.kind = Entity::Kind::range, .value = e.builder.integer(0), .upper = count};
}

}  // namespace tessera
