#include "core/lang/word_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/data/dtype_range.h"
#include "core/data/extremum.h"
#include "core/lang/array_words.h"
#include "core/lang/declaration_lowering.h"
#include "core/lang/expressions.h"
#include "core/lang/loop_lowering.h"
#include "core/lang/mesh_lowering.h"
#include "core/lang/order_words.h"
#include "core/lang/place_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/tile_words.h"
#include "core/lang/type_binder.h"
#include "core/lang/words.h"
#include "core/program/view_shape.h"

namespace tessera {
namespace {

constexpr std::string_view own_words[] = {"concat",      "barrier",   "first",      "last",
                                          "accumulator", "clamp",     "abs",        "largest",
                                          "neighbour",   "device_at", "reduce_sum", "reduce_max",
                                          "reduce_min",  "broadcast", "tiled"};

}  // namespace

bool is_word(std::string_view name) {
  return std::find(std::begin(own_words), std::end(own_words), name) != std::end(own_words) ||
         make_op(name).index() != 0;
}

std::vector<std::string_view> words() {
  std::vector<std::string_view> all(std::begin(own_words), std::end(own_words));
  for (const OpInfo& row : op_table().subspan(1))
    if (row.scope == Scope::none && row.result != ResultKind::Ref && row.op_class != OpClass::debug)
      all.push_back(row.mnemonic);
  return all;
}

WordLowering::WordLowering(Draft& draft, Expressions& expressions, RealArithmetic& reals,
                           PlaceLowering& places, TileLowering& tiles, TypeBinder& types,
                           LoopLowering& loops, DeclarationLowering& declarations,
                           MeshLowering& mesh, ArrayWords& arrays, TileWords& tile_words,
                           OrderWords& order_words)
    : draft_(draft),
      builder_(draft.builder()),
      expressions_(expressions),
      reals_(reals),
      places_(places),
      tiles_(tiles),
      types_(types),
      loops_(loops),
      declarations_(declarations),
      mesh_(mesh),
      arrays_(arrays),
      tile_words_(tile_words),
      order_words_(order_words) {}

std::optional<Entity> WordLowering::call(const ast::Call& node, const Slice* to) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "cast") return tiles_.cast(node, to);
  if (word == "truncate") return tiles_.truncate(node, to);
  if (word == "concat") return concat(node);
  if (word == "real" && count == 1) return real(node);
  if (word == "view" && count == 1) return view(node);
  if (word == "barrier") return barrier(node);
  if ((word == "first" || word == "last") && count == 1) return at_end_of_loop(node);
  if (word == "neighbour" && count == 2) return mesh_.neighbour(node);
  if (word == "device_at" && count >= 1) return mesh_.device_at(node);
  if (word == "accumulator" && (count == 1 || count == 2)) {
    const auto type = types_.accumulator_type(node);
    return type ? Entity{.kind = Entity::Kind::type, .type = *type} : Entity{};
  }
  if (word == "largest" && count == 1) return largest(node);
  if (word == "clamp" && count == 3) return clamp(node, to);
  if (word == "abs" && count == 1) return absolute(node, to);
  if (auto array = arrays_.call(node)) return array;
  if (auto tile = order_words_.call(node)) return tile;
  return tile_words_.call(node, to);
}

Entity WordLowering::real(const ast::Call& node) {
  const Entity argument = expressions_.evaluate(node.arguments[0]);
  if (const auto known = reals_.known_number(argument)) return reals_.real_entity(*known);
  const ValueId number = expressions_.scalar(argument, node.arguments[0].loc());
  if (number == no_value) return {};
  draft_.at(node.loc);
  return {.kind = Entity::Kind::real, .value = builder_.emit(ToReal{number})};
}

Entity WordLowering::view(const ast::Call& node) {
  const auto source = places_.memory(node.arguments[0]);
  if (!source) return {};
  draft_.at(node.loc);
  return {.kind = Entity::Kind::view,
          .slice = builder_.whole(builder_.emit(View{*source}, "view"))};
}

// Of tiles the first argument is the dimension.
Entity WordLowering::concat(const ast::Call& node) {
  std::vector<Entity> parts;
  bool has_tile = false;
  for (const ast::Expression& argument : node.arguments) {
    parts.push_back(expressions_.evaluate(argument));
    if (parts.back().kind == Entity::Kind::nothing) return {};
    has_tile |= order_words_.is_tile_of_elements(parts.back());
  }
  return has_tile ? order_words_.concat(node, parts) : arrays_.concat(node, std::move(parts));
}

// view(x) as T[a, b]: the extents are known, and without any those of x.
Entity WordLowering::view_as(const ast::ViewAs& node) {
  const auto& call = *node.memory->as<ast::Call>();
  if (call.arguments.size() != 1)
    return draft_.fail(call.loc, "view takes the memory that it shows");
  const auto source = places_.memory(call.arguments[0]);
  const auto type = types_.dtype(*node.type);
  if (!source || !type) return {};
  const auto shown = type_of_slice(builder_.program(), *source);
  if (!shown)
    return draft_.fail(call.arguments[0].loc(),
                       "a view with another shape or type shows memory whose extents are known "
                       "when the kernel is instantiated");
  ViewType as{*type, shown->shape};
  // Of another width rows are packed, as they are where rows of words lie below each other.
  const std::size_t rank = as.shape.size();
  const std::int64_t have = size_of(shown->dtype), want = size_of(*type);
  if (rank >= 2 && as.shape[rank - 2] * have % want == 0)
    as.shape[rank - 2] = as.shape[rank - 2] * have / want;
  if (!node.extents.empty()) {
    const auto shape = types_.shape(node.extents, node.loc);
    if (!shape) return {};
    as.shape = *shape;
  }
  if (const std::string problem = view_problem(*shown, as); !problem.empty())
    return draft_.fail(node.loc, problem);
  draft_.at(node.loc);
  const TextId text = builder_.text(to_string(as));
  return {.kind = Entity::Kind::view,
          .slice = builder_.whole(builder_.emit(ViewAs{*source, text}, "view"))};
}

Entity WordLowering::barrier(const ast::Call& node) {
  if (node.arguments.size() != 1) return draft_.fail(node.loc, "barrier takes the collective id");
  const auto id = expressions_.constant(node.arguments[0], "the collective id of a barrier");
  if (!id) return {};
  if (*id < 0)
    return draft_.fail(node.loc,
                       fmt::format("the collective id of a barrier is at least 0, found {}", *id));
  return {.kind = Entity::Kind::sem, .slice = builder_.whole(declarations_.barrier(*id))};
}

// first(i), last(i): whether it is the first or the last turn.
Entity WordLowering::at_end_of_loop(const ast::Call& node) {
  const std::string& word = node.function;
  const Entity variable = expressions_.evaluate(node.arguments[0]);
  const LoopLowering::Turns* turns =
      variable.kind == Entity::Kind::scalar ? loops_.turns_of(variable.value) : nullptr;
  if (turns == nullptr)
    return draft_.fail(
        node.loc,
        fmt::format("{} takes a grid dimension of a pipeline or the variable of a loop", word));
  draft_.at(node.loc);
  const ValueId at =
      word == "first" ? turns->lower : builder_.sub(turns->upper, builder_.integer(1));
  return scalar_entity(builder_.emit(Eq{turns->index, at}, word));
}

Entity WordLowering::largest(const ast::Call& node) {
  const auto type = types_.dtype(node.arguments[0]);
  if (!type) return {};
  const double number = largest_finite(*type);
  if (number >= 0x1p63)
    return draft_.fail(node.loc,
                       fmt::format("the largest {} is no integer of 64 bits", name(*type)));
  return scalar_entity(builder_.integer(static_cast<std::int64_t>(number)));
}

Entity WordLowering::clamp(const ast::Call& node, const Slice* to) {
  std::vector<TileLowering::Operand> sides;
  bool is_integer = true;
  for (const ast::Expression& argument : node.arguments) {
    sides.push_back({expressions_.evaluate(argument), argument.loc()});
    if (sides.back().entity.kind == Entity::Kind::nothing) return {};
    is_integer &= !is_tile(sides.back().entity) && sides.back().entity.kind != Entity::Kind::real;
  }
  if (!is_integer) {
    const auto low = reals_.known_number(sides[1].entity),
               high = reals_.known_number(sides[2].entity),
               known = reals_.known_number(sides[0].entity);
    if (known && low && high) return reals_.real_entity(minimum(maximum(*known, *low), *high));
    const Entity above =
        tiles_.elementwise(op_index<TileMax>(), {sides[0], sides[1]}, node.loc, nullptr);
    return tiles_.elementwise(op_index<TileMin>(), {{above, node.loc}, sides[2]}, node.loc, to);
  }
  ValueId x[3];
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = expressions_.scalar(sides[i].entity, sides[i].loc);
    if (x[i] == no_value) return {};
  }
  draft_.at(node.loc);
  return scalar_entity(builder_.min(builder_.max(x[0], x[1]), x[2]));
}

Entity WordLowering::absolute(const ast::Call& node, const Slice* to) {
  const Entity argument = expressions_.evaluate(node.arguments[0]);
  const Loc loc = node.arguments[0].loc();
  const auto number = reals_.known_number(argument);
  if (number && argument.kind == Entity::Kind::real) return reals_.real_entity(std::abs(*number));
  if (is_tile(argument) || argument.kind == Entity::Kind::real) {
    const Entity negative = tiles_.negative({argument, loc}, node.loc);
    return tiles_.elementwise(op_index<TileMax>(), {{argument, loc}, {negative, loc}}, node.loc,
                              to);
  }
  const ValueId x = expressions_.scalar(argument, loc);
  if (x == no_value) return {};
  draft_.at(node.loc);
  return scalar_entity(builder_.max(x, builder_.sub(builder_.integer(0), x)));
}

}  // namespace tessera
