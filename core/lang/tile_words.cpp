#include "core/lang/tile_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/lang/expressions.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/tile_lowering.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "core/report/check.h"

namespace tessera {
namespace {

using Sizes = std::vector<ValueId>;

// Words that are ops of integers and, of tiles, other ops.
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

}  // namespace

TileWords::TileWords(Draft& draft, Expressions& expressions, RealArithmetic& reals,
                     TileLowering& tiles)
    : draft_(draft),
      builder_(draft.builder()),
      expressions_(expressions),
      reals_(reals),
      tiles_(tiles) {}

std::optional<Entity> TileWords::call(const ast::Call& node, const Slice* to) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "scaled" && count == 2) return scaled(node, to);
  for (const IntegerWord& each : integer_words)
    if (word == each.word && count + 1 == op_table()[each.tile_op].fields.size())
      return elementwise(each.tile_op, node, to);
  if (word == "transpose" && count != 2) return transposed(node, to);
  if (takes_matrix(make_op(word)) && count == 1) return reduced(make_op(word), node, to);
  for (const ReducingWord& each : reducing_words)
    if (word == each.word) return reduced(make_op(op_table()[each.tile_op].mnemonic), node, to);
  if (word == "tile_iota" && count == 1) return indices(node, to);
  // What is left of the table is elementwise: exp, pow, ...
  const Op op = make_op(word);
  const auto fields = info(op).fields;
  if (info(op).op_class != OpClass::tile || fields.size() != count + 1) return std::nullopt;
  const bool are_tiles = std::all_of(fields.begin(), fields.end(), [](const FieldInfo& field) {
    return field.kind == FieldKind::Slice;
  });
  if (!are_tiles || word.starts_with("tile_")) return std::nullopt;
  return elementwise(op.index(), node, to);
}

// select, min and max of integers are ops of that name; of tiles and of reals they are the tile
// ops, as are the functions of one number.
Entity TileWords::elementwise(std::size_t tile_op, const ast::Call& node, const Slice* to) {
  std::vector<Entity> arguments;
  bool is_integer = info(make_op(node.function)).op_class == OpClass::scalar;
  for (const ast::Expression& kid : node.arguments) {
    arguments.push_back(expressions_.evaluate(kid));
    if (arguments.back().kind == Entity::Kind::nothing) return {};
    is_integer &= !is_tile(arguments.back()) && arguments.back().kind != Entity::Kind::real;
  }
  if (auto known = reals_.function(node, arguments)) return *known;
  if (is_integer) return integers(node, arguments);
  std::vector<TileLowering::Operand> operands;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    operands.push_back({arguments[i], node.arguments[i].loc()});
  // Of numbers alone it is a function of reals.
  const bool is_function = info(make_op(node.function)).op_class == OpClass::tile;
  if (is_function && std::none_of(arguments.begin(), arguments.end(), is_tile))
    for (TileLowering::Operand& operand : operands)
      if (operand.entity.kind == Entity::Kind::scalar) {
        const auto known = reals_.known_number(operand.entity);
        draft_.at(node.loc);
        operand.entity = known ? reals_.real_entity(*known)
                               : Entity{.kind = Entity::Kind::real,
                                        .value = builder_.emit(ToReal{operand.entity.value})};
      }
  return tiles_.elementwise(tile_op, operands, node.loc, to);
}

// The op of integers that has the same name.
Entity TileWords::integers(const ast::Call& node, const std::vector<Entity>& arguments) {
  Op op = make_op(node.function);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ValueId value = expressions_.scalar(arguments[i], node.arguments[i].loc());
    if (value == no_value) return {};
    field<ValueId>(op, info(op).fields[i]) = value;
  }
  draft_.at(node.loc);
  return scalar_entity(builder_.emit(std::move(op)));
}

// tile_iota(dim): what it is stored to or combined with says the shape.
Entity TileWords::indices(const ast::Call& node, const Slice* to) {
  const auto dim = expressions_.constant(node.arguments[0], "the dimension of tile_iota");
  if (!dim) return {};
  if (to == nullptr) return tiles_.indices(*dim, node.loc);
  draft_.at(node.loc);
  builder_.emit(TileIota{*to, *dim});
  return {.kind = Entity::Kind::view, .slice = *to};
}

// The shape is that of the data; the scale's says how large the blocks are.
Entity TileWords::scaled(const ast::Call& node, const Slice* to) {
  const auto source = tiles_.operand(node.arguments[0]), scale = tiles_.operand(node.arguments[1]);
  if (!source || !scale) return {};
  const Program& program = builder_.program();
  if (is_number(program, *source) || is_number(program, *scale))
    return draft_.fail(node.loc, "scaled takes a tile and the tile of its scales");
  Sizes size;
  for (const int d : kept(*source)) size.push_back(source->size[static_cast<std::size_t>(d)]);
  const Slice target =
      to ? *to : tiles_.temporary(DType::f32, static_shape(program, *source), size);
  draft_.at(node.loc);
  builder_.emit(Scaled{target, *source, *scale});
  return {.kind = Entity::Kind::view, .slice = target};
}

// The tile of a word that changes its shape.
std::optional<Slice> TileWords::source_of(const ast::Call& node) {
  const auto source =
      tiles_.operand(expressions_.evaluate(node.arguments[0]), node.arguments[0].loc());
  if (!source) return std::nullopt;
  const Shape shape = static_shape(builder_.program(), *source);
  if (takes_matrix(make_op(node.function)) && node.arguments.size() == 1 && shape.size() != 2) {
    const bool is_transpose = node.function == "transpose" && shape.size() > 2;
    draft_.fail(node.loc,
                fmt::format("{} takes a matrix, found shape {}{}", node.function, to_string(shape),
                            is_transpose ? "; of more dimensions it takes their order, as "
                                           "in transpose(x, 0, 2, 1)"
                                         : ""));
    return std::nullopt;
  }
  return source;
}

// The dimensions that stand behind the tile, each of them once.
std::optional<std::vector<int>> TileWords::dimensions(const ast::Call& node, const Slice& source) {
  const Shape shape = static_shape(builder_.program(), source);
  std::vector<int> dims;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    const auto dim =
        expressions_.constant(node.arguments[i], fmt::format("a dimension of {}", node.function));
    if (!dim) return std::nullopt;
    const bool is_there = *dim >= 0 && *dim < static_cast<std::int64_t>(shape.size());
    if (!is_there || std::count(dims.begin(), dims.end(), *dim) != 0) {
      draft_.fail(node.arguments[i].loc(),
                  is_there ? fmt::format("dimension {} stands here a second time", *dim)
                           : fmt::format("expected a dimension of the tile of shape {}, found {}",
                                         to_string(shape), *dim));
      return std::nullopt;
    }
    dims.push_back(static_cast<int>(*dim));
  }
  return dims;
}

// row_sum(x), reduce_sum(x, dim): along several dimensions the last one is first.
Entity TileWords::reduced(Op op, const ast::Call& node, const Slice* to) {
  auto source = node.arguments.empty() ? std::nullopt : source_of(node);
  if (!source && !node.arguments.empty()) return {};
  if (takes_matrix(op)) return reshape(std::move(op), *source, node.loc, to);
  auto dims = source ? dimensions(node, *source) : std::vector<int>();
  if (!dims) return {};
  if (dims->empty())
    return draft_.fail(node.loc, fmt::format("{0} takes a tile and the dimensions along which it "
                                             "goes, as in {0}(x, 1)",
                                             node.function));
  std::sort(dims->rbegin(), dims->rend());
  Entity result;
  for (const int dim : *dims) {
    field<std::int64_t>(op, info(op).fields[2]) = dim;
    result = reshape(op, *source, node.loc, dim == dims->back() ? to : nullptr);
    source = result.slice;
  }
  return result;
}

// transpose(x) of a matrix; transpose(x, 0, 2, 1) with the source's dimension for each of its own.
Entity TileWords::transposed(const ast::Call& node, const Slice* to) {
  if (node.arguments.empty()) return draft_.fail(node.loc, "transpose takes a tile");
  const auto source = source_of(node);
  if (!source) return {};
  if (node.arguments.size() == 1) return reshape(Transpose{}, *source, node.loc, to);
  const auto order = dimensions(node, *source);
  if (!order) return {};
  if (order->size() != kept(*source).size())
    return draft_.fail(
        node.loc, fmt::format("transpose takes all {} dimensions of a tile of shape "
                              "{}, found {}",
                              kept(*source).size(),
                              to_string(static_shape(builder_.program(), *source)), order->size()));
  return reshape(Permute{.order = permutation_field(*order)}, *source, node.loc, to);
}

// An op that changes the shape of a tile.
Entity TileWords::reshape(Op op, const Slice& source, const Loc& loc, const Slice* to) {
  const Program& program = builder_.program();
  const std::vector<int> dims = kept(source);
  const Shape from = static_shape(program, source);
  Shape bound = from;
  Sizes size;
  for (const int d : dims) size.push_back(source.size[static_cast<std::size_t>(d)]);
  if (const auto dim = reduced_dimension(op)) {
    bound[static_cast<std::size_t>(*dim)] = 1;
    size[static_cast<std::size_t>(*dim)] = builder_.integer(1);
  } else {
    const Sizes sizes = size;
    const std::vector<int> order = permutation(op, static_cast<int>(dims.size()));
    for (std::size_t d = 0; d < order.size(); ++d) {
      bound[d] = from[static_cast<std::size_t>(order[d])];
      size[d] = sizes[static_cast<std::size_t>(order[d])];
    }
  }
  draft_.at(loc);
  const DType type = ref_info(program, source.base).dtype;
  const bool keeps_type = reshape_of(op) == Reshape::permuted || is_integer(type);
  const Slice target = to ? *to : tiles_.temporary(keeps_type ? type : DType::f32, bound, size);
  field<Slice>(op, info(op).fields[0]) = target;
  field<Slice>(op, info(op).fields[1]) = source;
  builder_.emit(std::move(op));
  return {.kind = Entity::Kind::view, .slice = target};
}

}  // namespace tessera
