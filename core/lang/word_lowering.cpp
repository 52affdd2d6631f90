#include "core/lang/word_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/data/dtype_range.h"
#include "core/data/extremum.h"
#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/place_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/words.h"
#include "core/program/view_shape.h"

namespace tessera {
namespace {

constexpr std::string_view own_words[] = {"concat",      "barrier",   "first",      "last",
                                          "accumulator", "clamp",     "abs",        "largest",
                                          "neighbour",   "device_at", "reduce_sum", "reduce_max",
                                          "reduce_min",  "broadcast", "tiled"};

Entity real(Elaboration& e, const ast::Call& node) {
  const Entity argument = evaluate(e, node.arguments[0]);
  if (const auto known = known_number(e, argument)) return real_entity(e, *known);
  const ValueId number = scalar(e, argument, node.arguments[0].loc());
  if (number == no_value) return {};
  e.at(node.loc);
  return {.kind = Entity::Kind::real, .value = e.builder.emit(ToReal{number})};
}

Entity view(Elaboration& e, const ast::Call& node) {
  const auto source = memory(e, node.arguments[0]);
  if (!source) return {};
  e.at(node.loc);
  return view_entity(e.builder.whole(e.builder.emit(View{*source}, "view")));
}

// For tiles, the first argument is the dimension.
Entity concat(Elaboration& e, const ast::Call& node) {
  std::vector<Entity> parts;
  bool has_tile = false;
  for (const ast::Expression& argument : node.arguments) {
    parts.push_back(evaluate(e, argument));
    if (parts.back().kind == Entity::Kind::nothing) return {};
    has_tile |= is_tile_of_elements(e, parts.back());
  }
  return has_tile ? concat_tiles(e, node, parts) : concat_arrays(e, node, std::move(parts));
}

// Returns the barrier semaphore with this collective id: the declared one, or a new one at its
// first use.
ValueId barrier_semaphore(Elaboration& e, std::int64_t id) {
  ValueId& value = e.barriers.try_emplace(id, no_value).first->second;
  if (value == no_value) {
    Semaphore semaphore;
    semaphore.name = fmt::format("barrier_{}", id);
    semaphore.kind = SemKind::barrier;
    semaphore.collective = id;
    value = e.builder.semaphore(std::move(semaphore));
  }
  return value;
}

Entity barrier(Elaboration& e, const ast::Call& node) {
  if (node.arguments.size() != 1) return e.fail(node.loc, "barrier takes the collective id");
  const auto id = constant(e, node.arguments[0], "the collective id of a barrier");
  if (!id) return {};
  if (*id < 0)
    return e.fail(node.loc,
                  fmt::format("the collective id of a barrier is at least 0, found {}", *id));
  return {.kind = Entity::Kind::sem, .slice = e.builder.whole(barrier_semaphore(e, *id))};
}

// first(i), last(i): true in the first or the last iteration.
Entity at_end_of_loop(Elaboration& e, const ast::Call& node) {
  const std::string& word = node.function;
  const Entity variable = evaluate(e, node.arguments[0]);
  const auto loop =
      variable.kind == Entity::Kind::scalar ? e.loops.find(variable.value) : e.loops.end();
  if (loop == e.loops.end())
    return e.fail(
        node.loc,
        fmt::format("{} takes a grid dimension of a pipeline or the variable of a loop", word));
  const auto& [index, lower, upper] = loop->second;
  e.at(node.loc);
  const ValueId at = word == "first" ? lower : e.builder.sub(upper, e.builder.integer(1));
  return scalar_entity(e.builder.emit(Eq{index, at}, word));
}

Entity largest(Elaboration& e, const ast::Call& node) {
  const auto type = element_type(e, node.arguments[0]);
  if (!type) return {};
  const double number = largest_finite(*type);
  if (number >= 0x1p63)
    return e.fail(node.loc, fmt::format("the largest {} is not a 64-bit integer", name(*type)));
  return scalar_entity(e.builder.integer(static_cast<std::int64_t>(number)));
}

Entity clamp(Elaboration& e, const ast::Call& node, const Slice* to) {
  std::vector<Operand> sides;
  bool is_integer = true;
  for (const ast::Expression& argument : node.arguments) {
    sides.push_back({evaluate(e, argument), argument.loc()});
    if (sides.back().entity.kind == Entity::Kind::nothing) return {};
    is_integer &= !is_tile(sides.back().entity) && sides.back().entity.kind != Entity::Kind::real;
  }
  if (!is_integer) {
    const auto low = known_number(e, sides[1].entity), high = known_number(e, sides[2].entity),
               known = known_number(e, sides[0].entity);
    if (known && low && high) return real_entity(e, minimum(maximum(*known, *low), *high));
    const Entity above =
        elementwise(e, op_index<TileMax>(), {sides[0], sides[1]}, node.loc, nullptr);
    return elementwise(e, op_index<TileMin>(), {{above, node.loc}, sides[2]}, node.loc, to);
  }
  ValueId x[3];
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = scalar(e, sides[i].entity, sides[i].loc);
    if (x[i] == no_value) return {};
  }
  e.at(node.loc);
  return scalar_entity(e.builder.min(e.builder.max(x[0], x[1]), x[2]));
}

Entity absolute(Elaboration& e, const ast::Call& node, const Slice* to) {
  const Entity argument = evaluate(e, node.arguments[0]);
  const Loc loc = node.arguments[0].loc();
  const auto number = known_number(e, argument);
  if (number && argument.kind == Entity::Kind::real) return real_entity(e, std::abs(*number));
  if (is_tile(argument) || argument.kind == Entity::Kind::real) {
    const Entity opposite = negative(e, {argument, loc}, node.loc);
    return elementwise(e, op_index<TileMax>(), {{argument, loc}, {opposite, loc}}, node.loc, to);
  }
  const ValueId x = scalar(e, argument, loc);
  if (x == no_value) return {};
  e.at(node.loc);
  return scalar_entity(e.builder.max(x, e.builder.sub(e.builder.integer(0), x)));
}

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

std::optional<Entity> call_word(Elaboration& e, const ast::Call& node, const Slice* to) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "cast") return cast(e, node, to);
  if (word == "truncate") return truncate(e, node, to);
  if (word == "concat") return concat(e, node);
  if (word == "real" && count == 1) return real(e, node);
  if (word == "view" && count == 1) return view(e, node);
  if (word == "barrier") return barrier(e, node);
  if ((word == "first" || word == "last") && count == 1) return at_end_of_loop(e, node);
  if (word == "neighbour" && count == 2) return neighbour(e, node);
  if (word == "device_at" && count >= 1) return device_at(e, node);
  if (word == "accumulator" && (count == 1 || count == 2)) {
    const auto type = accumulator_type(e, node);
    return type ? Entity{.kind = Entity::Kind::type, .type = *type} : Entity{};
  }
  if (word == "largest" && count == 1) return largest(e, node);
  if (word == "clamp" && count == 3) return clamp(e, node, to);
  if (word == "abs" && count == 1) return absolute(e, node, to);
  if (auto array = call_array_word(e, node)) return array;
  if (auto tile = call_order_word(e, node)) return tile;
  return call_tile_word(e, node, to);
}

// view(x) as T[a, b]: the extents must be known; without extents, the view has the extents of x.
Entity view_as(Elaboration& e, const ast::ViewAs& node) {
  const auto& call = *node.memory->as<ast::Call>();
  if (call.arguments.size() != 1) return e.fail(call.loc, "view takes the memory that it shows");
  const auto source = memory(e, call.arguments[0]);
  const auto type = element_type(e, *node.type);
  if (!source || !type) return {};
  const auto shown = type_of_slice(e.program(), *source);
  if (!shown)
    return e.fail(call.arguments[0].loc(),
                  "a view with another shape or type shows memory whose extents are known "
                  "when the kernel is instantiated");
  ViewType as{*type, shown->shape};
  // If the element size differs, the rows are packed into words or unpacked: the number of rows
  // changes.
  const std::size_t rank = as.shape.size();
  const std::int64_t have = size_of(shown->dtype), want = size_of(*type);
  if (rank >= 2 && as.shape[rank - 2] * have % want == 0)
    as.shape[rank - 2] = as.shape[rank - 2] * have / want;
  if (!node.extents.empty()) {
    const auto shape = known_shape(e, node.extents, node.loc);
    if (!shape) return {};
    as.shape = *shape;
  }
  if (const std::string problem = view_problem(*shown, as); !problem.empty())
    return e.fail(node.loc, problem);
  e.at(node.loc);
  const TextId text = e.builder.text(to_string(as));
  return view_entity(e.builder.whole(e.builder.emit(ViewAs{*source, text}, "view")));
}

}  // namespace tessera
