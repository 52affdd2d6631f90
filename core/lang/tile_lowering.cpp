#include "core/lang/tile_lowering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/lang/expression_lowering.h"
#include "core/lang/operators.h"
#include "core/lang/value_type.h"
#include "core/program/broadcast.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "core/report/lines.h"

namespace tessera {
namespace {

// ResultExtents of a result, computed from the operands so far or from the target of the store, and
// the location of the expression that uses them.
struct ResultExtents {
  Shape bound;
  std::vector<ValueId> size;
  Loc use;
  bool is_of_target = false;
};

// "(8, 200)".
std::string extents_text(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

// Returns the source text at the location; the expression must be on one line.
std::string source_text(const Loc& loc) {
  if (!loc) return "";
  const std::string_view line = Lines(loc.source->text)[loc.line];
  return std::string(
      line.substr(static_cast<std::size_t>(loc.column) - 1, static_cast<std::size_t>(loc.width)));
}

// Returns the replacement for an operator that tiles do not support.
std::string_view instead_of(ast::Operator op) {
  if (op == ast::Operator::both) return "; for tiles of 0 and 1 write `bit_and(a, b)`";
  if (op == ast::Operator::either) return "; for tiles of 0 and 1 write `bit_or(a, b)`";
  return "";
}

// Reports the error at the operand, or at `loc` if the operand has no location. Returns false.
bool misfit(Elaboration& e, const PlacedSlice& operand, const std::string& shape, const Loc& loc,
            const std::string& wanted) {
  const std::string text = source_text(operand.loc);
  const std::string name = text.empty() ? operand_name(e.program(), operand.slice, "an operand")
                                        : fmt::format("`{}`", text);
  e.fail(operand.loc ? operand.loc : loc, misfit_text(name, shape, wanted));
  return false;
}

// Broadcasting aligns dimensions from the right. The longer shape determines the rank, and a size
// other than 1 determines the extent. False after an error.
bool broadcast(Elaboration& e, const PlacedSlice& operand, const Loc& loc, ResultExtents& result) {
  Shape& bound = result.bound;
  std::vector<ValueId>& size = result.size;
  const Shape shape = static_shape(e.program(), operand.slice);
  const std::vector<int> dims = kept(operand.slice);
  if (shape.size() > bound.size()) {
    bound.insert(bound.begin(), shape.size() - bound.size(), 1);
    size.insert(size.begin(), shape.size() - size.size(), e.builder.integer(1));
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t at = bound.size() - shape.size() + d;
    if (shape[d] == 1 && bound[at] != 1) continue;
    if (bound[at] != 1 && bound[at] != shape[d])
      return misfit(e, operand, extents_text(shape), loc, extents_text(bound));
    bound[at] = shape[d];
    size[at] = operand.slice.size[static_cast<std::size_t>(dims[d])];
  }
  return true;
}

bool has_floats(const Elaboration& e, const Entity& entity) {
  if (entity.kind == Entity::Kind::view)
    return is_float(ref_info(e.program(), entity.slice.base).dtype);
  if (entity.kind != Entity::Kind::unshaped) return entity.kind == Entity::Kind::real;
  const UnshapedTile& node = e.unshaped[entity.unshaped];
  if (node.op == 0) return false;
  const Op op = make_op(op_table()[node.op].mnemonic);
  if (gives_truths(op)) return false;
  const bool is_function = node.operands.size() == 1 && !computes_integers(op);
  return is_function ||
         std::any_of(node.operands.begin(), node.operands.end(),
                     [&](const Operand& side) { return has_floats(e, side.entity); });
}

// Checks that integer-only ops, for example bit ops, have integer operands. False after an error.
bool takes(Elaboration& e, std::size_t op, const Slice& operand, const Loc& loc) {
  const std::string_view mnemonic = op_table()[op].mnemonic;
  if (!computes_integers(make_op(mnemonic))) return true;
  const Program& program = e.program();
  const bool is_tile = !is_number(program, operand);
  const bool is_real = is_tile ? is_float(ref_info(program, operand.base).dtype)
                               : program.value(operand.base).kind == ValueKind::real;
  if (!is_real) return true;
  e.fail(loc,
         fmt::format("`{}` takes integers, found {}", mnemonic.substr(mnemonic.find('_') + 1),
                     is_tile ? name(ref_info(program, operand.base).dtype) : "a real number"),
         ErrorCode::invalid_type);
  return false;
}

Slice emit_elementwise(Elaboration& e, std::size_t index, const std::vector<Slice>& operands,
                       const ResultExtents& extents, const Loc& loc, const Slice* to) {
  e.at(loc);
  const Program& program = e.program();
  Op op = make_op(op_table()[index].mnemonic);
  const auto& fields = info(op).fields;
  for (std::size_t i = 0; i < operands.size(); ++i) field<Slice>(op, fields[i + 1]) = operands[i];
  const bool is_written_at_once =
      to != nullptr && writes_as_cast(program, op, ref_info(program, to->base).dtype);
  const Slice target =
      is_written_at_once ? *to : temporary(e, value_type(program, op), extents.bound, extents.size);
  field<Slice>(op, fields[0]) = target;
  e.builder.emit(std::move(op));
  return target;
}

ResultExtents extents_of(Elaboration& e, const Slice& target) {
  return {static_shape(e.program(), target), sizes_of(target), {}, true};
}

// Reports the error at the location that determines the shape. If tile_iota is elsewhere, adds a
// note with its location.
std::optional<Slice> misshapen(Elaboration& e, const UnshapedTile& node,
                               const ResultExtents& extents, std::string message) {
  const Loc &use = extents.use, &word = node.loc;
  const bool is_inside = use.source == word.source && use.line == word.line &&
                         use.column <= word.column &&
                         word.column + word.width <= use.column + use.width;
  e.fail(is_inside || !use ? word : use, std::move(message));
  if (!is_inside && use)
    e.diags.back().notes.insert(e.diags.back().notes.begin(),
                                {word, "the indices that get this shape"});
  return std::nullopt;
}

// A dimension of size 1 from other operands is an error: it might be broadcast later, and the
// indices would then all be 0.
std::optional<Slice> shaped_indices(Elaboration& e, const UnshapedTile& node,
                                    const ResultExtents& extents) {
  const auto rank = static_cast<std::int64_t>(extents.bound.size());
  if (node.dim < 0 || node.dim >= rank)
    return misshapen(e, node, extents,
                     fmt::format("tile_iota counts along dimension {}, and the tile of shape {} "
                                 "has {}",
                                 node.dim, to_string(extents.bound), rank));
  if (!extents.is_of_target && extents.bound[static_cast<std::size_t>(node.dim)] == 1)
    return misshapen(
        e, node, extents,
        fmt::format("tile_iota({}) has the shape {} of the tiles that it is combined "
                    "with here, which have one element along this dimension; expected it stored "
                    "first to memory that is declared with the intended shape",
                    node.dim, to_string(extents.bound)));
  e.at(node.loc);
  const Slice target = temporary(e, DType::i32, extents.bound, extents.size);
  e.builder.emit(TileIota{target, node.dim});
  return target;
}

// Computes an unshaped tile in this shape; numbers are not changed.
std::optional<Slice> shaped(Elaboration& e, const Operand& side, const ResultExtents& extents) {
  if (side.entity.kind != Entity::Kind::unshaped) return tile_operand(e, side.entity, side.loc);
  const UnshapedTile node = e.unshaped[side.entity.unshaped];
  if (node.op == 0) return shaped_indices(e, node, extents);
  std::vector<Slice> sources;
  for (const Operand& inner : node.operands) {
    const auto source = shaped(e, inner, extents);
    if (!source) return std::nullopt;
    sources.push_back(*source);
  }
  return emit_elementwise(e, node.op, sources, extents, node.loc, nullptr);
}

}  // namespace

std::optional<Slice> tile_operand(Elaboration& e, const Entity& entity, const Loc& loc) {
  if (entity.kind == Entity::Kind::scalar || entity.kind == Entity::Kind::real)
    return Builder::number(entity.value);
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind != Entity::Kind::nothing)
    e.fail(loc, fmt::format("expected a tile or a number, found {}", e.describe(entity)),
           ErrorCode::invalid_type);
  return std::nullopt;
}

std::optional<Slice> tile_operand(Elaboration& e, const ast::Expression& node) {
  return tile_operand(e, evaluate_into(e, node, nullptr), node.loc());
}

Slice temporary(Elaboration& e, DType dtype, const Shape& bound, const std::vector<ValueId>& size) {
  Buffer buffer;
  buffer.name = "t";
  buffer.space = Space::tile;
  buffer.dtype = dtype;
  buffer.shape = bound;
  const ValueId value = e.builder.buffer(std::move(buffer));
  // Unnamed in messages until a definition names it (Elaboration::name_result).
  e.program().values[value].name.clear();
  Slice slice = e.builder.whole(value);
  for (std::size_t d = 0; d < size.size(); ++d) slice.size[d] = size[d];
  return slice;
}

Slice temporary_like(Elaboration& e, DType dtype, const Slice& slice) {
  return temporary(e, dtype, static_shape(e.program(), slice), sizes_of(slice));
}

std::vector<ValueId> sizes_of(const Slice& slice) {
  std::vector<ValueId> sizes;
  for (const int d : kept(slice)) sizes.push_back(slice.size[static_cast<std::size_t>(d)]);
  return sizes;
}

bool fits(Elaboration& e, const PlacedSlice& value, const Slice& target) {
  const Program& program = e.program();
  return broadcasts_to(program, value.slice, target) ||
         misfit(e, value, slice_shape_text(program, value.slice), value.loc,
                slice_shape_text(program, target));
}

Entity elementwise(Elaboration& e, std::size_t op, const std::vector<Operand>& operands,
                   const Loc& loc, const Slice* to) {
  ResultExtents extents;
  std::vector<std::optional<Slice>> slices;
  bool has_tile = false, has_unshaped = false;
  for (const Operand& side : operands) {
    slices.emplace_back();
    has_unshaped |= side.entity.kind == Entity::Kind::unshaped;
    if (side.entity.kind == Entity::Kind::unshaped) continue;
    slices.back() = tile_operand(e, side.entity, side.loc);
    if (!slices.back() || !takes(e, op, *slices.back(), side.loc ? side.loc : loc)) return {};
    if (is_number(e.program(), *slices.back())) continue;
    has_tile = true;
    const PlacedSlice placed{*slices.back(), side.loc ? side.loc : loc};
    if (!broadcast(e, placed, loc, extents)) return {};
    if (to != nullptr && !fits(e, placed, *to)) return {};
  }
  if (has_unshaped && !has_tile) {
    if (to == nullptr) {
      return {.kind = Entity::Kind::unshaped, .unshaped = e.unshaped.add({op, 0, operands, loc})};
    }
    extents = extents_of(e, *to);
  }
  extents.use = loc;
  std::vector<Slice> sources;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!slices[i]) slices[i] = shaped(e, operands[i], extents);
    if (!slices[i]) return {};
    sources.push_back(*slices[i]);
  }
  return view_entity(emit_elementwise(e, op, sources, extents, loc, to));
}

Entity negative(Elaboration& e, const Operand& operand, const Loc& loc) {
  const bool is_float = has_floats(e, operand.entity);
  const Entity zero = {.kind = is_float ? Entity::Kind::real : Entity::Kind::scalar,
                       .value = is_float ? e.builder.real(-0.0) : e.builder.integer(0)};
  return elementwise(e, op_index<TileSub>(), {{zero, loc}, operand}, loc, nullptr);
}

Entity tile_indices(Elaboration& e, std::int64_t dim, const Loc& loc) {
  return {.kind = Entity::Kind::unshaped, .unshaped = e.unshaped.add({0, dim, {}, loc})};
}

std::optional<Slice> operand_of_store(Elaboration& e, const Entity& entity, const Loc& loc,
                                      const Slice& target) {
  if (entity.kind != Entity::Kind::unshaped) return tile_operand(e, entity, loc);
  ResultExtents extents = extents_of(e, target);
  extents.use = loc;
  return shaped(e, {entity, loc}, extents);
}

Entity tile_binary(Elaboration& e, const ast::Binary& node, const Entity& left, const Entity& right,
                   const Slice* to) {
  const std::size_t op = tile_op(node.op);
  if (op == 0)
    return e.fail(node.loc, fmt::format("`{}` is not defined for tiles{}", name(node.op),
                                        instead_of(node.op)));
  const Operand a{left, node.left->loc()}, b{right, node.right->loc()};
  const bool swap = node.op == ast::Operator::greater || node.op == ast::Operator::greater_equal;
  if (node.op == ast::Operator::not_equal) {  // 1 - (a == b): nothing equals a NaN
    const Entity equal = elementwise(e, op, {a, b}, node.loc, nullptr);
    return elementwise(e, op_index<TileSub>(),
                       {{scalar_entity(e.builder.integer(1)), node.loc}, {equal, node.loc}},
                       node.loc, to);
  }
  return swap ? elementwise(e, op, {b, a}, node.loc, to) : elementwise(e, op, {a, b}, node.loc, to);
}

}  // namespace tessera
