#include "core/lang/order_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/data/shape_limits.h"
#include "core/lang/expressions.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/type_binder.h"
#include "core/program/broadcast.h"
#include "core/program/refs.h"
#include "core/program/view_shape.h"

namespace tessera {

OrderWords::OrderWords(Draft& draft, Expressions& expressions, TypeBinder& types,
                       TileLowering& tiles)
    : draft_(draft),
      builder_(draft.builder()),
      expressions_(expressions),
      types_(types),
      tiles_(tiles) {}

std::optional<Entity> OrderWords::call(const ast::Call& node) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "reshape" && count >= 2) return reshape(node);
  if (word == "bitcast" && count == 2) return bitcast(node);
  if (word == "broadcast" && count >= 2) return broadcast(node);
  if (word == "tiled" && count >= 2) return tiled(node);
  return std::nullopt;
}

bool OrderWords::is_tile_of_elements(const Entity& entity) const {
  return entity.kind == Entity::Kind::unshaped ||
         (entity.kind == Entity::Kind::view &&
          ref_info(builder_.program(), entity.slice.base).space != Space::smem);
}

std::optional<OrderWords::Source> OrderWords::source(const ast::Expression& node,
                                                     std::string_view word) {
  return known_source(expressions_.evaluate(node), node.loc(), word);
}

std::optional<OrderWords::Source> OrderWords::known_source(const Entity& entity, const Loc& loc,
                                                           std::string_view word) {
  const auto slice = tiles_.operand(entity, loc);
  if (!slice) return std::nullopt;
  const Program& program = builder_.program();
  if (is_number(program, *slice))
    return draft_.fail(loc, fmt::format("{} takes a tile, found a number", word)), std::nullopt;
  return Source{*slice, static_shape(program, *slice), ref_info(program, slice->base).dtype};
}

Slice OrderWords::tile(DType dtype, const Shape& shape) {
  std::vector<ValueId> size;
  for (const std::int64_t extent : shape) size.push_back(builder_.integer(extent));
  return tiles_.temporary(dtype, shape, size);
}

Slice OrderWords::regrouped(const Slice& source, DType dtype, const Shape& shape) {
  const Slice target = tile(dtype, shape);
  builder_.emit(Regroup{target, source});
  return target;
}

// reshape(x, a, b, ...); with memory behind it, it is the op.
std::optional<Entity> OrderWords::reshape(const ast::Call& node) {
  if (node.arguments.size() == 2 &&
      expressions_.evaluate(node.arguments[1]).kind == Entity::Kind::view)
    return std::nullopt;
  const auto from = source(node.arguments[0], "reshape");
  if (!from) return Entity{};
  Shape shape;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    const auto extent = expressions_.constant(node.arguments[i], "an extent");
    if (!extent) return Entity{};
    shape.push_back(*extent);
  }
  if (shape.size() > max_rank || !shape_problem(shape).empty())
    return draft_.fail(node.loc, shape.size() > max_rank
                                     ? fmt::format("a tile has at most {} dimensions", max_rank)
                                     : shape_problem(shape));
  const auto known = type_of_slice(builder_.program(), from->slice);
  if (known && elements(known->shape) != elements(shape))
    return draft_.fail(node.loc, fmt::format("reshape of a tile of shape {} to {}: it has {} "
                                             "elements, and the result would have {}",
                                             to_string(known->shape), to_string(shape),
                                             elements(known->shape), elements(shape)));
  draft_.at(node.loc);
  return made(regrouped(from->slice, from->dtype, shape));
}

// bitcast(x, T): of another width along the last dimension but one, as rows are packed.
std::optional<Entity> OrderWords::bitcast(const ast::Call& node) {
  const Entity second = expressions_.evaluate(node.arguments[1]);
  if (second.kind != Entity::Kind::type) return std::nullopt;
  const auto from = source(node.arguments[0], "bitcast");
  if (!from) return Entity{};
  const std::int64_t have = size_of(from->dtype), want = size_of(second.type);
  const auto known = type_of_slice(builder_.program(), from->slice);
  Shape shape = from->shape;
  draft_.at(node.loc);
  if (have == want) {
    std::vector<ValueId> size;
    for (const int d : kept(from->slice))
      size.push_back(from->slice.size[static_cast<std::size_t>(d)]);
    const Slice target = tiles_.temporary(second.type, shape, size);
    builder_.emit(Bitcast{target, from->slice});
    return made(target);
  }
  const std::int64_t factor = have < want ? want / have : have / want;
  if (!known || shape.size() < 2 || (have < want && shape[shape.size() - 2] % factor != 0))
    return draft_.fail(
        node.loc, fmt::format("bitcast of {} to {} packs {} rows into one: expected a tile of two "
                              "dimensions or more whose rows are known{}, found shape {}",
                              name(from->dtype), name(second.type), factor,
                              have < want ? fmt::format(" and a multiple of {}", factor) : "",
                              slice_shape_text(builder_.program(), from->slice)));
  std::int64_t& rows = shape[shape.size() - 2];
  rows = have < want ? rows / factor : rows * factor;
  const Slice target = tile(second.type, shape);
  builder_.emit(Bitcast{target, from->slice});
  return made(target);
}

// broadcast(x, a, b, ...): as an elementwise op would repeat it beside a tile of that shape.
Entity OrderWords::broadcast(const ast::Call& node) {
  const auto from = source(node.arguments[0], "broadcast");
  if (!from) return {};
  Shape shape;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    const auto extent = expressions_.constant(node.arguments[i], "an extent");
    if (!extent) return {};
    shape.push_back(*extent);
  }
  if (shape.size() > max_rank || !shape_problem(shape).empty())
    return draft_.fail(node.loc, shape.size() > max_rank
                                     ? fmt::format("a tile has at most {} dimensions", max_rank)
                                     : shape_problem(shape));
  const Slice target = tile(from->dtype, shape);
  if (!tiles_.fits({from->slice, node.arguments[0].loc()}, target)) return {};
  draft_.at(node.loc);
  builder_.emit(Cast{target, from->slice});
  return made(target);
}

// tiled(x, 2, 3): the tile so often along each dimension. Each repeated dimension becomes two, how
// often and what, so that a broadcast fills them.
Entity OrderWords::tiled(const ast::Call& node) {
  const auto from = source(node.arguments[0], "tiled");
  if (!from) return {};
  const auto known = type_of_slice(builder_.program(), from->slice);
  if (!known || node.arguments.size() != known->shape.size() + 1)
    return draft_.fail(
        node.loc,
        fmt::format("tiled takes a tile of known shape and how often it is repeated "
                    "along each dimension, found a tile of shape {} and {} numbers",
                    slice_shape_text(builder_.program(), from->slice), node.arguments.size() - 1));
  Shape ones, repeated, result;
  for (std::size_t d = 0; d < known->shape.size(); ++d) {
    const auto times = expressions_.constant(node.arguments[d + 1], "how often a tile is repeated");
    if (!times) return {};
    if (*times < 1)
      return draft_.fail(node.arguments[d + 1].loc(),
                         fmt::format("a tile is repeated at least once, found {}", *times));
    if (*times > 1) ones.push_back(1), repeated.push_back(*times);
    ones.push_back(known->shape[d]);
    repeated.push_back(known->shape[d]);
    result.push_back(*times * known->shape[d]);
  }
  if (repeated.size() > max_rank || !shape_problem(repeated).empty())
    return draft_.fail(
        node.loc, fmt::format("tiled takes two dimensions for each that is repeated, which are {} "
                              "here; expected at most {}, and no more elements than memory has",
                              repeated.size(), max_rank));
  draft_.at(node.loc);
  const Slice target = tile(from->dtype, repeated);
  builder_.emit(Cast{target, regrouped(from->slice, from->dtype, ones)});
  return made(regrouped(target, from->dtype, result));
}

// Each part is stored behind the one before.
Entity OrderWords::concat(const ast::Call& node, const std::vector<Entity>& parts) {
  const auto dim = expressions_.constant(node.arguments[0], "the dimension of concat");
  if (!dim) return {};
  std::vector<Source> sources;
  Shape shape;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Loc& loc = node.arguments[i].loc();
    const auto part = known_source(parts[i], loc, "concat");
    if (!part) return {};
    const auto known = type_of_slice(builder_.program(), part->slice);
    if (!known) return draft_.fail(loc, "concat takes tiles whose shapes are known");
    if (*dim < 0 || *dim >= static_cast<std::int64_t>(known->shape.size()))
      return draft_.fail(node.arguments[0].loc(),
                         fmt::format("concat along dimension {} of a tile of shape {}", *dim,
                                     to_string(known->shape)));
    const auto along = static_cast<std::size_t>(*dim);
    Shape others = known->shape;
    if (shape.empty()) shape = known->shape, shape[along] = 0;
    if (others.size() == shape.size()) others[along] = shape[along];
    if (others != shape || (!sources.empty() && sources[0].dtype != part->dtype))
      return draft_.fail(
          loc, fmt::format("concat along dimension {} takes tiles of one type and of one shape in "
                           "the other dimensions, found {} and {}",
                           *dim, to_string(*type_of_slice(builder_.program(), sources[0].slice)),
                           to_string(*known)));
    shape[along] += known->shape[along];
    sources.push_back(*part);
  }
  if (sources.empty()) return draft_.fail(node.loc, "concat takes a dimension and tiles");
  if (const std::string problem = shape_problem(shape); !problem.empty())
    return draft_.fail(node.loc, problem);
  draft_.at(node.loc);
  const Slice all = tile(sources[0].dtype, shape);
  const auto along = static_cast<std::size_t>(*dim);
  std::int64_t begin = 0;
  for (const Source& part : sources) {
    Slice target = all;
    target.start[along] = builder_.integer(begin);
    target.size[along] = builder_.integer(part.shape[along]);
    builder_.emit(Cast{target, part.slice});
    begin += part.shape[along];
  }
  return made(all);
}

Entity OrderWords::every(const Slice& source, int dim, std::int64_t step, const Loc& loc) {
  const Program& program = builder_.program();
  Shape bound = static_shape(program, source);
  std::vector<ValueId> size;
  for (const int d : kept(source)) size.push_back(source.size[static_cast<std::size_t>(d)]);
  const auto along = static_cast<std::size_t>(dim);
  draft_.at(loc);
  bound[along] = (bound[along] + step - 1) / step;
  size[along] = builder_.emit(Tiles{size[along], builder_.integer(step)});
  const Slice target = tiles_.temporary(ref_info(program, source.base).dtype, bound, size);
  builder_.emit(Every{target, source, dim, step});
  return made(target);
}

}  // namespace tessera
