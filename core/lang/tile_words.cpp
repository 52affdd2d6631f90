#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/lang/expression_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/word_lowering.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "core/report/check.h"

namespace tessera {
namespace {

// Words that are integer ops for integers, and tile ops for tiles.
struct IntegerWord {
  std::string_view word;
  std::size_t tile_op;
};
constexpr IntegerWord integer_words[] = {
    {"quotient", op_index<TileQuotient>()},
    {"remainder", op_index<TileRemainder>()},
    {"bit_and", op_index<TileBitAnd>()},
    {"bit_or", op_index<TileBitOr>()},
    {"bit_xor", op_index<TileBitXor>()},
    {"bit_not", op_index<TileBitNot>()},
    {"shift_left", op_index<TileShiftLeft>()},
    {"shift_right", op_index<TileShiftRight>()},
    {"min", op_index<TileMin>()},
    {"max", op_index<TileMax>()},
    {"select", op_index<TileSelect>()},
};

struct ReducingWord {
  std::string_view word;
  std::size_t tile_op;
};
constexpr ReducingWord reducing_words[] = {
    {"reduce_sum", op_index<TileReduceSum>()},
    {"reduce_max", op_index<TileReduceMax>()},
    {"reduce_min", op_index<TileReduceMin>()},
};

// Returns the tile argument of a word that changes its shape.
std::optional<Slice> source_of(Elaboration& e, const ast::Call& node) {
  const auto source = tile_operand(e, evaluate(e, node.arguments[0]), node.arguments[0].loc());
  if (!source) return std::nullopt;
  const Shape shape = static_shape(e.program(), *source);
  if (takes_matrix(make_op(node.function)) && node.arguments.size() == 1 && shape.size() != 2) {
    const bool is_transpose = node.function == "transpose" && shape.size() > 2;
    e.fail(
        node.loc,
        fmt::format("{} takes a matrix, found shape {}{}", node.function, to_string(shape),
                    is_transpose
                        ? "; for more dimensions it takes their order, as in transpose(x, 0, 2, 1)"
                        : ""));
    return std::nullopt;
  }
  return source;
}

// Returns the dimensions after the tile argument, without repetitions; none after an error.
std::optional<std::vector<int>> dimensions(Elaboration& e, const ast::Call& node,
                                           const Slice& source) {
  const Shape shape = static_shape(e.program(), source);
  std::vector<int> dims;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    const auto dim =
        constant(e, node.arguments[i], fmt::format("a dimension of {}", node.function));
    if (!dim) return std::nullopt;
    const bool is_there = *dim >= 0 && *dim < static_cast<std::int64_t>(shape.size());
    if (!is_there || std::count(dims.begin(), dims.end(), *dim) != 0) {
      e.fail(node.arguments[i].loc(),
             is_there ? fmt::format("dimension {} is given twice here", *dim)
                      : fmt::format("expected a dimension of the tile of shape {}, found {}",
                                    to_string(shape), *dim));
      return std::nullopt;
    }
    dims.push_back(static_cast<int>(*dim));
  }
  return dims;
}

// Emits an op that changes the shape of a tile.
Entity reshape(Elaboration& e, Op op, const Slice& source, const Loc& loc, const Slice* to) {
  const Program& program = e.program();
  const Shape from = static_shape(program, source);
  const std::vector<ValueId> sizes = sizes_of(source);
  Shape bound = from;
  std::vector<ValueId> size = sizes;
  if (const auto dim = reduced_dimension(op)) {
    bound[static_cast<std::size_t>(*dim)] = 1;
    size[static_cast<std::size_t>(*dim)] = e.builder.integer(1);
  } else {
    const std::vector<int> order = permutation(op, static_cast<int>(sizes.size()));
    for (std::size_t d = 0; d < order.size(); ++d) {
      bound[d] = from[static_cast<std::size_t>(order[d])];
      size[d] = sizes[static_cast<std::size_t>(order[d])];
    }
  }
  e.at(loc);
  const DType type = ref_info(program, source.base).dtype;
  const bool keeps_type = reshape_of(op) == Reshape::permuted || is_integer(type);
  const Slice target = to ? *to : temporary(e, keeps_type ? type : DType::f32, bound, size);
  field<Slice>(op, info(op).fields[0]) = target;
  field<Slice>(op, info(op).fields[1]) = source;
  e.builder.emit(std::move(op));
  return view_entity(target);
}

// Emits the integer op with this name.
Entity integers(Elaboration& e, const ast::Call& node, const std::vector<Entity>& arguments) {
  Op op = make_op(node.function);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ValueId value = scalar(e, arguments[i], node.arguments[i].loc());
    if (value == no_value) return {};
    field<ValueId>(op, info(op).fields[i]) = value;
  }
  e.at(node.loc);
  return scalar_entity(e.builder.emit(std::move(op)));
}

// The result has the shape of the data; the scale's shape determines the block size.
Entity scaled(Elaboration& e, const ast::Call& node, const Slice* to) {
  const auto source = tile_operand(e, node.arguments[0]),
             scale = tile_operand(e, node.arguments[1]);
  if (!source || !scale) return {};
  const Program& program = e.program();
  if (is_number(program, *source) || is_number(program, *scale))
    return e.fail(node.loc, "scaled takes a tile and the tile of its scales");
  const Slice target = to ? *to : temporary_like(e, DType::f32, *source);
  e.at(node.loc);
  e.builder.emit(Scaled{target, *source, *scale});
  return view_entity(target);
}

// select, min and max of integers are the ops with this name. For tiles and reals they are tile
// ops, like functions of one number.
Entity of_elements(Elaboration& e, std::size_t tile_op, const ast::Call& node, const Slice* to) {
  std::vector<Entity> arguments;
  bool is_integer = info(make_op(node.function)).op_class == OpClass::scalar;
  for (const ast::Expression& kid : node.arguments) {
    arguments.push_back(evaluate(e, kid));
    if (arguments.back().kind == Entity::Kind::nothing) return {};
    is_integer &= !is_tile(arguments.back()) && arguments.back().kind != Entity::Kind::real;
  }
  if (auto known = real_function(e, node, arguments)) return *known;
  if (is_integer) return integers(e, node, arguments);
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    operands.push_back({arguments[i], node.arguments[i].loc()});
  // With only numbers as arguments, it is a function of reals.
  const bool is_function = info(make_op(node.function)).op_class == OpClass::tile;
  if (is_function && std::none_of(arguments.begin(), arguments.end(), is_tile))
    for (Operand& operand : operands)
      if (operand.entity.kind == Entity::Kind::scalar) {
        const auto known = known_number(e, operand.entity);
        e.at(node.loc);
        operand.entity = known ? real_entity(e, *known)
                               : Entity{.kind = Entity::Kind::real,
                                        .value = e.builder.emit(ToReal{operand.entity.value})};
      }
  return elementwise(e, tile_op, operands, node.loc, to);
}

// tile_iota(dim): gets the shape of the store's target, or of the tiles in the same expression.
Entity indices(Elaboration& e, const ast::Call& node, const Slice* to) {
  const auto dim = constant(e, node.arguments[0], "the dimension of tile_iota");
  if (!dim) return {};
  if (to == nullptr) return tile_indices(e, *dim, node.loc);
  e.at(node.loc);
  e.builder.emit(TileIota{*to, *dim});
  return view_entity(*to);
}

// row_sum(x), reduce_sum(x, dim, ...): dimensions are reduced one after another, the last one
// first.
Entity reduced(Elaboration& e, Op op, const ast::Call& node, const Slice* to) {
  auto source = node.arguments.empty() ? std::nullopt : source_of(e, node);
  if (!source && !node.arguments.empty()) return {};
  if (takes_matrix(op)) return reshape(e, std::move(op), *source, node.loc, to);
  auto dims = source ? dimensions(e, node, *source) : std::vector<int>();
  if (!dims) return {};
  if (dims->empty())
    return e.fail(node.loc,
                  fmt::format("{0} takes a tile and the dimensions to reduce, as in {0}(x, 1)",
                              node.function));
  std::sort(dims->rbegin(), dims->rend());
  Entity result;
  for (const int dim : *dims) {
    field<std::int64_t>(op, info(op).fields[2]) = dim;
    result = reshape(e, op, *source, node.loc, dim == dims->back() ? to : nullptr);
    source = result.slice;
  }
  return result;
}

// transpose(x) of a matrix; transpose(x, 0, 2, 1): the source's dimension for each dimension of the
// result.
Entity transposed(Elaboration& e, const ast::Call& node, const Slice* to) {
  if (node.arguments.empty()) return e.fail(node.loc, "transpose takes a tile");
  const auto source = source_of(e, node);
  if (!source) return {};
  if (node.arguments.size() == 1) return reshape(e, Transpose{}, *source, node.loc, to);
  const auto order = dimensions(e, node, *source);
  if (!order) return {};
  if (order->size() != kept(*source).size())
    return e.fail(node.loc,
                  fmt::format("transpose takes all {} dimensions of a tile of shape "
                              "{}, found {}",
                              kept(*source).size(), to_string(static_shape(e.program(), *source)),
                              order->size()));
  return reshape(e, Permute{.order = permutation_field(*order)}, *source, node.loc, to);
}

}  // namespace

std::optional<Entity> call_tile_word(Elaboration& e, const ast::Call& node, const Slice* to) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "scaled" && count == 2) return scaled(e, node, to);
  for (const IntegerWord& each : integer_words)
    if (word == each.word && count + 1 == op_table()[each.tile_op].fields.size())
      return of_elements(e, each.tile_op, node, to);
  if (word == "transpose" && count != 2) return transposed(e, node, to);
  if (takes_matrix(make_op(word)) && count == 1) return reduced(e, make_op(word), node, to);
  for (const ReducingWord& each : reducing_words)
    if (word == each.word) return reduced(e, make_op(op_table()[each.tile_op].mnemonic), node, to);
  if (word == "tile_iota" && count == 1) return indices(e, node, to);
  // The remaining ops of the table are elementwise: exp, pow, ...
  const Op op = make_op(word);
  const auto fields = info(op).fields;
  if (info(op).op_class != OpClass::tile || fields.size() != count + 1) return std::nullopt;
  const bool are_tiles = std::all_of(fields.begin(), fields.end(), [](const FieldInfo& field) {
    return field.kind == FieldKind::Slice;
  });
  if (!are_tiles || word.starts_with("tile_")) return std::nullopt;
  return of_elements(e, op.index(), node, to);
}

}  // namespace tessera
