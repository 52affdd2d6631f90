#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/data/shape_limits.h"
#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/word_lowering.h"
#include "core/program/broadcast.h"
#include "core/program/refs.h"
#include "core/program/view_shape.h"

namespace tessera {
namespace {

struct TileSource {
  Slice slice;
  Shape shape;
  DType dtype = DType::f32;
};

std::optional<TileSource> known_source(Elaboration& e, const Entity& entity, const Loc& loc,
                                       std::string_view word) {
  const auto slice = tile_operand(e, entity, loc);
  if (!slice) return std::nullopt;
  const Program& program = e.program();
  if (is_number(program, *slice))
    return e.fail(loc, fmt::format("{} takes a tile, found a number", word)), std::nullopt;
  return TileSource{*slice, static_shape(program, *slice), ref_info(program, slice->base).dtype};
}

std::optional<TileSource> source(Elaboration& e, const ast::Expression& node,
                                 std::string_view word) {
  return known_source(e, evaluate(e, node), node.loc(), word);
}

Slice tile(Elaboration& e, DType dtype, const Shape& shape) {
  std::vector<ValueId> size;
  for (const std::int64_t extent : shape) size.push_back(e.builder.integer(extent));
  return temporary(e, dtype, shape, size);
}

Slice regrouped(Elaboration& e, const Slice& source, DType dtype, const Shape& shape) {
  const Slice target = tile(e, dtype, shape);
  e.builder.emit(Regroup{target, source});
  return target;
}

// Returns the extents after the tile argument; none after an error.
std::optional<Shape> extents(Elaboration& e, const ast::Call& node) {
  Shape shape;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    const auto extent = constant(e, node.arguments[i], "an extent");
    if (!extent) return std::nullopt;
    shape.push_back(*extent);
  }
  const std::string problem = shape.size() > max_rank
                                  ? fmt::format("a tile has at most {} dimensions", max_rank)
                                  : shape_problem(shape);
  if (!problem.empty()) return e.fail(node.loc, problem), std::nullopt;
  return shape;
}

// reshape(x, a, b, ...); with memory as second argument, it is the op.
std::optional<Entity> reshape(Elaboration& e, const ast::Call& node) {
  if (node.arguments.size() == 2 && evaluate(e, node.arguments[1]).kind == Entity::Kind::view)
    return std::nullopt;
  const auto from = source(e, node.arguments[0], "reshape");
  if (!from) return Entity{};
  const auto shape = extents(e, node);
  if (!shape) return Entity{};
  const auto known = type_of_slice(e.program(), from->slice);
  if (known && elements(known->shape) != elements(*shape))
    return e.fail(node.loc, fmt::format("reshape of a tile of shape {} to {}: it has {} "
                                        "elements, and the result would have {}",
                                        to_string(known->shape), to_string(*shape),
                                        elements(known->shape), elements(*shape)));
  e.at(node.loc);
  return view_entity(regrouped(e, from->slice, from->dtype, *shape));
}

// bitcast(x, T): if the width differs, the second-to-last dimension changes, as rows are packed.
std::optional<Entity> bitcast(Elaboration& e, const ast::Call& node) {
  const Entity second = evaluate(e, node.arguments[1]);
  if (second.kind != Entity::Kind::type) return std::nullopt;
  const auto from = source(e, node.arguments[0], "bitcast");
  if (!from) return Entity{};
  const std::int64_t have = size_of(from->dtype), want = size_of(second.type);
  const auto known = type_of_slice(e.program(), from->slice);
  Shape shape = from->shape;
  e.at(node.loc);
  if (have == want) {
    const Slice target = temporary_like(e, second.type, from->slice);
    e.builder.emit(Bitcast{target, from->slice});
    return view_entity(target);
  }
  const std::int64_t factor = have < want ? want / have : have / want;
  if (!known || shape.size() < 2 || (have < want && shape[shape.size() - 2] % factor != 0))
    return e.fail(node.loc,
                  fmt::format("bitcast of {} to {} packs {} rows into one: expected a tile of two "
                              "dimensions or more whose rows are known{}, found shape {}",
                              name(from->dtype), name(second.type), factor,
                              have < want ? fmt::format(" and a multiple of {}", factor) : "",
                              slice_shape_text(e.program(), from->slice)));
  std::int64_t& rows = shape[shape.size() - 2];
  rows = have < want ? rows / factor : rows * factor;
  const Slice target = tile(e, second.type, shape);
  e.builder.emit(Bitcast{target, from->slice});
  return view_entity(target);
}

// broadcast(x, a, b, ...): repeats the tile as an elementwise op with a tile of that shape would.
Entity broadcast(Elaboration& e, const ast::Call& node) {
  const auto from = source(e, node.arguments[0], "broadcast");
  if (!from) return {};
  const auto shape = extents(e, node);
  if (!shape) return {};
  const Slice target = tile(e, from->dtype, *shape);
  if (!fits(e, {from->slice, node.arguments[0].loc()}, target)) return {};
  e.at(node.loc);
  e.builder.emit(Cast{target, from->slice});
  return view_entity(target);
}

// tiled(x, 2, 3): repeats the tile along each dimension. A repeated dimension becomes two, the
// repeat count and the extent, and a broadcast fills them.
Entity tiled(Elaboration& e, const ast::Call& node) {
  const auto from = source(e, node.arguments[0], "tiled");
  if (!from) return {};
  const auto known = type_of_slice(e.program(), from->slice);
  if (!known || node.arguments.size() != known->shape.size() + 1)
    return e.fail(
        node.loc,
        fmt::format("tiled takes a tile of known shape and how often it is repeated "
                    "along each dimension, found a tile of shape {} and {} numbers",
                    slice_shape_text(e.program(), from->slice), node.arguments.size() - 1));
  Shape ones, repeated, result;
  for (std::size_t d = 0; d < known->shape.size(); ++d) {
    const auto times = constant(e, node.arguments[d + 1], "how often a tile is repeated");
    if (!times) return {};
    if (*times < 1)
      return e.fail(node.arguments[d + 1].loc(),
                    fmt::format("a tile is repeated at least once, found {}", *times));
    if (*times > 1) ones.push_back(1), repeated.push_back(*times);
    ones.push_back(known->shape[d]);
    repeated.push_back(known->shape[d]);
    result.push_back(*times * known->shape[d]);
  }
  if (repeated.size() > max_rank || !shape_problem(repeated).empty())
    return e.fail(node.loc,
                  fmt::format("tiled uses two dimensions for each repeated one, {} in total here; "
                              "expected at most {}, and no more elements than memory can have",
                              repeated.size(), max_rank));
  e.at(node.loc);
  const Slice target = tile(e, from->dtype, repeated);
  e.builder.emit(Cast{target, regrouped(e, from->slice, from->dtype, ones)});
  return view_entity(regrouped(e, target, from->dtype, result));
}

}  // namespace

std::optional<Entity> call_order_word(Elaboration& e, const ast::Call& node) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "reshape" && count >= 2) return reshape(e, node);
  if (word == "bitcast" && count == 2) return bitcast(e, node);
  if (word == "broadcast" && count >= 2) return broadcast(e, node);
  if (word == "tiled" && count >= 2) return tiled(e, node);
  return std::nullopt;
}

bool is_tile_of_elements(const Elaboration& e, const Entity& entity) {
  return entity.kind == Entity::Kind::unshaped ||
         (entity.kind == Entity::Kind::view &&
          ref_info(e.program(), entity.slice.base).space != Space::smem);
}

// Each part is stored after the previous one.
Entity concat_tiles(Elaboration& e, const ast::Call& node, const std::vector<Entity>& parts) {
  const auto dim = constant(e, node.arguments[0], "the dimension of concat");
  if (!dim) return {};
  std::vector<TileSource> sources;
  Shape shape;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Loc& loc = node.arguments[i].loc();
    const auto part = known_source(e, parts[i], loc, "concat");
    if (!part) return {};
    const auto known = type_of_slice(e.program(), part->slice);
    if (!known) return e.fail(loc, "concat takes tiles whose shapes are known");
    if (*dim < 0 || *dim >= static_cast<std::int64_t>(known->shape.size()))
      return e.fail(node.arguments[0].loc(),
                    fmt::format("concat along dimension {} of a tile of shape {}", *dim,
                                to_string(known->shape)));
    const auto along = static_cast<std::size_t>(*dim);
    Shape others = known->shape;
    if (shape.empty()) shape = known->shape, shape[along] = 0;
    if (others.size() == shape.size()) others[along] = shape[along];
    if (others != shape || (!sources.empty() && sources[0].dtype != part->dtype))
      return e.fail(loc, fmt::format("concat along dimension {} takes tiles of the same type and "
                                     "the same shape in the other dimensions, found {} and {}",
                                     *dim, to_string(*type_of_slice(e.program(), sources[0].slice)),
                                     to_string(*known)));
    shape[along] += known->shape[along];
    sources.push_back(*part);
  }
  if (sources.empty()) return e.fail(node.loc, "concat takes a dimension and tiles");
  if (const std::string problem = shape_problem(shape); !problem.empty())
    return e.fail(node.loc, problem);
  e.at(node.loc);
  const Slice all = tile(e, sources[0].dtype, shape);
  const auto along = static_cast<std::size_t>(*dim);
  std::int64_t begin = 0;
  for (const TileSource& part : sources) {
    Slice target = all;
    target.start[along] = e.builder.integer(begin);
    target.size[along] = e.builder.integer(part.shape[along]);
    e.builder.emit(Cast{target, part.slice});
    begin += part.shape[along];
  }
  return view_entity(all);
}

Entity every(Elaboration& e, const Slice& source, int dim, std::int64_t step, const Loc& loc) {
  const Program& program = e.program();
  Shape bound = static_shape(program, source);
  std::vector<ValueId> size = sizes_of(source);
  const auto along = static_cast<std::size_t>(dim);
  e.at(loc);
  bound[along] = (bound[along] + step - 1) / step;
  size[along] = e.builder.emit(Tiles{size[along], e.builder.integer(step)});
  const Slice target = temporary(e, ref_info(program, source.base).dtype, bound, size);
  e.builder.emit(Every{target, source, dim, step});
  return view_entity(target);
}

}  // namespace tessera
