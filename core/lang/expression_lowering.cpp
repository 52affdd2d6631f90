#include "core/lang/expression_lowering.h"

#include <fmt/format.h>

#include <utility>

#include "core/lang/call_lowering.h"
#include "core/lang/foreign_words.h"
#include "core/lang/functions.h"
#include "core/lang/operators.h"
#include "core/lang/order_words.h"
#include "core/lang/place_lowering.h"
#include "core/lang/product_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/tile_lowering.h"

namespace tessera {
namespace {

constexpr int max_levels =
    600;  // of expressions inside each other, through the calls that are inlined

}  // namespace

ExpressionLowering::ExpressionLowering(Draft& draft, Names& names, const Functions& functions,
                                       RealArithmetic& reals, PlaceLowering& places,
                                       TileLowering& tiles, ProductLowering& products,
                                       OrderWords& order_words, CallLowering& calls,
                                       const InstantiateOptions& launch)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      functions_(functions),
      reals_(reals),
      places_(places),
      tiles_(tiles),
      products_(products),
      order_words_(order_words),
      calls_(calls),
      launch_(launch) {}

Entity ExpressionLowering::evaluate(const ast::Expression& node) {
  if (levels_ >= max_levels)
    return draft_.fail(node.loc(), "expressions and calls are nested too deeply");
  ++levels_;
  Entity result = std::visit([&](const auto& f) { return form(f); }, node.form);
  --levels_;
  return result;
}

Entity ExpressionLowering::evaluate_into(const ast::Expression& node, const Slice* to) {
  if (const auto* binary_node = node.as<ast::Binary>()) return binary(*binary_node, to);
  if (const auto* call_node = node.as<ast::Call>()) return calls_.call(*call_node, to);
  if (const auto* call_node = node.as<ast::MemberCall>()) return calls_.call(*call_node);
  return evaluate(node);
}

Entity ExpressionLowering::evaluate_known(const ast::Expression& node, std::string_view what) {
  const std::string_view outer = std::exchange(known_for_, what);
  Entity result = evaluate(node);
  known_for_ = outer;
  return result;
}

Entity ExpressionLowering::form(const ast::Integer& node) {
  return scalar_entity(builder_.integer(node.value));
}

Entity ExpressionLowering::form(const ast::Real& node) { return reals_.real_entity(node.value); }

Entity ExpressionLowering::form(const ast::Text& node) {
  return {.kind = Entity::Kind::text, .text = node.value};
}

Entity ExpressionLowering::form(const ast::Name& node) {
  if (const Entity* found = names_.find(node.name)) {
    if (!places_.is_one_number(*found)) return *found;
    draft_.at(node.loc);
    return places_.load(found->slice);
  }
  if (const auto type = parse_dtype(node.name)) return {.kind = Entity::Kind::type, .type = *type};
  if (node.name == "device")
    return draft_.at(node.loc), scalar_entity(builder_.emit(DeviceId{}, "device"));
  if (node.name == "core")
    return draft_.at(node.loc), scalar_entity(builder_.emit(CoreId{}, "core"));
  if (node.name == "devices" || node.name == "cores") return count_of(node);
  if (functions_.find(node.name))
    return draft_.fail(node.loc,
                       fmt::format("function `{}` needs its arguments in parentheses", node.name));
  if (const std::string_view ours = instead_of_name(node.name); !ours.empty())
    return draft_.fail(node.loc, fmt::format("unknown name `{}`; here it is {}", node.name, ours));
  return draft_.fail(node.loc, fmt::format("unknown name `{}`", node.name));
}

// How many devices or cores there are: a number where one is wanted now, else known when it runs.
Entity ExpressionLowering::count_of(const ast::Name& node) {
  const bool is_devices = node.name == "devices";
  if (known_for_.empty()) {
    draft_.at(node.loc);
    return scalar_entity(is_devices ? builder_.emit(DeviceCount{}, "devices")
                                    : builder_.emit(CoreCount{}, "cores"));
  }
  const int known = is_devices ? launch_.devices : launch_.cores;
  if (known == 0)
    return draft_.fail(node.loc,
                       fmt::format("{} names `{}`, whose number is not known here: the option "
                                   "`{}` gives it",
                                   known_for_, node.name, node.name));
  (is_devices ? builder_.program().devices : builder_.program().cores) = known;
  return scalar_entity(builder_.integer(known));
}

Entity ExpressionLowering::form(const ast::Call& node) { return calls_.call(node); }

Entity ExpressionLowering::form(const ast::MemberCall& node) { return calls_.call(node); }

// Calls of functions take it before it comes here.
Entity ExpressionLowering::form(const ast::NamedArgument& node) {
  const bool is_axis = node.parameter == "axis" || node.parameter == "dim";
  return draft_.fail(
      node.loc,
      fmt::format("expected an expression, found `{} =`; {}", node.parameter,
                  is_axis ? "a dimension is a number, as in `reduce_max(x, 1)`"
                          : "only functions of the language and `mesh` take arguments by name"));
}

Entity ExpressionLowering::form(const ast::Negative& node) {
  const Entity operand = evaluate(*node.operand);
  if (operand.kind == Entity::Kind::nothing) return {};
  if (operand.kind == Entity::Kind::real)
    if (const auto number = reals_.known_number(operand)) return reals_.real_entity(-*number);
  if (is_tile(operand) || operand.kind == Entity::Kind::real)
    return tiles_.negative({operand, node.operand->loc()}, node.loc);
  const ValueId value = scalar(operand, node.operand->loc());
  if (value == no_value) return {};
  draft_.at(node.loc);
  return scalar_entity(builder_.sub(builder_.integer(0), value));
}

Entity ExpressionLowering::form(const ast::Not& node) {
  const Entity operand = evaluate(*node.operand);
  if (is_tile(operand))
    return draft_.fail(node.loc,
                       "`not` is not defined for tiles; of a tile of 0 and 1 write `m == 0`");
  const ValueId value = scalar(operand, node.operand->loc());
  if (value == no_value) return {};
  draft_.at(node.loc);
  return scalar_entity(builder_.emit(Not{value}));
}

Entity ExpressionLowering::form(const ast::Binary& node) { return binary(node, nullptr); }

// Each side is evaluated once, whatever it is. `to`: where a tile goes, or null for a temporary.
Entity ExpressionLowering::binary(const ast::Binary& node, const Slice* to) {
  if (node.op == ast::Operator::product) return products_.matmul(node);
  const Entity left = evaluate(*node.left), right = evaluate(*node.right);
  if (left.kind == Entity::Kind::nothing || right.kind == Entity::Kind::nothing) return {};
  if (auto known = reals_.binary(node, left, right)) return *known;
  const auto is_of_tiles = [&](const Entity& side) {
    return is_tile(side) || side.kind == Entity::Kind::real;
  };
  return is_of_tiles(left) || is_of_tiles(right) ? tiles_.binary(node, left, right, to)
                                                 : scalar_binary(node, left, right);
}

Entity ExpressionLowering::scalar_binary(const ast::Binary& node, const Entity& left,
                                         const Entity& right) {
  const ValueId a = scalar(left, node.left->loc()), b = scalar(right, node.right->loc());
  if (a == no_value || b == no_value) return {};
  draft_.at(node.loc);
  if (node.op == ast::Operator::limit && !builder_.program().constant(b))
    return draft_.fail(node.right->loc(),
                       "the bound after `max` must be known when the kernel is instantiated");
  return scalar_entity(builder_.emit(scalar_op(node.op, a, b)));
}

// Both sides are evaluated; when the condition is known only the chosen one is.
Entity ExpressionLowering::form(const ast::Conditional& node) {
  const ValueId condition = scalar(*node.condition);
  if (condition == no_value) return {};
  if (const auto known = builder_.program().constant(condition))
    return evaluate(*known != 0 ? *node.a : *node.b);
  const Entity sides[] = {evaluate(*node.a), evaluate(*node.b)};
  for (const Entity& side : sides)
    if (is_tile(side))
      return draft_.fail(node.loc,
                         fmt::format("expected integers beside `:`, found {}; in place of `?` "
                                     "tiles have `select(c, a, b)`",
                                     draft_.describe(side)),
                         ErrorCode::invalid_type);
  const ValueId a = scalar(sides[0], node.a->loc()), b = scalar(sides[1], node.b->loc());
  if (a == no_value || b == no_value) return {};
  draft_.at(node.loc);
  return scalar_entity(builder_.select(condition, a, b));
}

namespace {

// The end of the message about a member of a value without members.
std::string instead_of(const ast::Member& node, bool is_known_name) {
  if (is_known_name) return "; the matrix product has blanks around its dot, as in `a . b`";
  const std::string_view ours = instead_of_member(node.name);
  return ours.empty() ? std::string() : fmt::format("; here it is {}", ours);
}

}  // namespace

Entity ExpressionLowering::form(const ast::Member& node) {
  const Entity base = evaluate(*node.base);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::record)
    return draft_.fail(node.loc,
                       fmt::format("{} has no member `{}`{}", draft_.describe(base), node.name,
                                   instead_of(node, names_.find(node.name) != nullptr)));
  if (const auto it = base.environment->names.find(node.name); it != base.environment->names.end())
    return it->second;
  std::string members;
  for (const auto& [member, entity] : base.environment->names)
    members += (members.empty() ? "" : ", ") + member;
  return draft_.fail(node.loc, fmt::format("no member `{}`; there are {}", node.name, members));
}

Entity ExpressionLowering::form(const ast::Index& node) {
  const Entity base = evaluate(*node.base);
  if (base.kind == Entity::Kind::nothing) return {};
  if (base.kind != Entity::Kind::view && base.kind != Entity::Kind::sem)
    return draft_.fail(node.loc, fmt::format("{} cannot be indexed", draft_.describe(base)));
  std::vector<PlaceLowering::Step> steps;
  Entity part = places_.index(base, node, &steps);
  if (part.kind == Entity::Kind::nothing) return {};
  if (!steps.empty() && !order_words_.is_tile_of_elements(part))
    return draft_.fail(
        node.loc, fmt::format("a slice with a step is of a tile, found {}", draft_.describe(base)));
  for (const auto& [dim, step] : steps) part = order_words_.every(part.slice, dim, step, node.loc);
  return places_.is_one_number(part) ? places_.load(part.slice) : part;
}

Entity ExpressionLowering::form(const ast::ViewAs& node) { return calls_.view_as(node); }

ValueId ExpressionLowering::scalar(const Entity& entity, const Loc& loc) {
  if (entity.kind == Entity::Kind::scalar) return entity.value;
  if (entity.kind != Entity::Kind::nothing)
    draft_.fail(loc, fmt::format("expected an integer, found {}", draft_.describe(entity)),
                ErrorCode::invalid_type);
  return no_value;
}

ValueId ExpressionLowering::scalar(const ast::Expression& node) {
  return scalar(evaluate(node), node.loc());
}

std::optional<std::int64_t> ExpressionLowering::constant(const ast::Expression& node,
                                                         std::string_view what) {
  const ValueId value = scalar(evaluate_known(node, what), node.loc());
  if (value == no_value) return std::nullopt;
  const auto known = builder_.program().constant(value);
  if (!known)
    draft_.fail(
        node.loc(),
        fmt::format("{} must be known when the kernel is instantiated: a number, a parameter, or "
                    "computed of these",
                    what));
  return known;
}

Entity ExpressionLowering::form(const ast::Range& node) {
  const ValueId lower = scalar(*node.lower), upper = scalar(*node.upper);
  if (lower == no_value || upper == no_value) return {};
  return {.kind = Entity::Kind::range, .value = lower, .upper = upper};
}

Entity ExpressionLowering::range(const ast::Expression& node) {
  const Entity entity = evaluate(node);
  if (entity.kind == Entity::Kind::range || entity.kind == Entity::Kind::nothing) return entity;
  const ValueId count = scalar(entity, node.loc());
  if (count == no_value) return {};
  return {.kind = Entity::Kind::range, .value = builder_.integer(0), .upper = count};
}

}  // namespace tessera
