#include "core/lang/tile_words.h"

#include <fmt/format.h>

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

// The shape and the run-time sizes of what an op makes of a matrix.
std::pair<Shape, Sizes> reshaped(Reshape how, const Shape& shape, ValueId rows, ValueId cols,
                                 ValueId one) {
  switch (how) {
    case Reshape::transposed:
      return {{shape[1], shape[0]}, {cols, rows}};
    case Reshape::column:
      return {{shape[0], 1}, {rows, one}};
    case Reshape::row:
      return {{1, shape[1]}, {one, cols}};
    case Reshape::none:
      break;
  }
  CHECK(false);
}

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
  if (word == "min" && count == 2) return elementwise(op_index<TileMin>(), node, to);
  if (word == "max" && count == 2) return elementwise(op_index<TileMax>(), node, to);
  if (word == "select" && count == 3) return elementwise(op_index<TileSelect>(), node, to);
  if (count != 1) return std::nullopt;
  if (word == "tile_iota") return indices(node, to);
  if (reshape_of(make_op(word)) != Reshape::none) return reshape(node, to);
  // What is left of the table with one source is elementwise: exp, erf, ...
  const Op op = make_op(word);
  const auto fields = info(op).fields;
  const bool maps = fields.size() == 2 && fields[0].name == "dst" && fields[1].name == "src" &&
                    fields[1].kind == FieldKind::Slice;
  return maps ? std::optional(elementwise(op.index(), node, to)) : std::nullopt;
}

// select, min and max of integers are ops of that name; of tiles and of reals they are the tile
// ops, as are the functions of one number.
Entity TileWords::elementwise(std::size_t tile_op, const ast::Call& node, const Slice* to) {
  std::vector<Entity> arguments;
  bool is_integer = node.arguments.size() > 1;
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
  const bool is_real_function = operands.size() == 1;
  if (is_real_function && arguments[0].kind == Entity::Kind::scalar) {
    draft_.at(node.loc);
    operands[0].entity = {.kind = Entity::Kind::real,
                          .value = builder_.emit(ToReal{arguments[0].value})};
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

// Ops that change the shape of a matrix.
Entity TileWords::reshape(const ast::Call& node, const Slice* to) {
  const auto source =
      tiles_.operand(expressions_.evaluate(node.arguments[0]), node.arguments[0].loc());
  if (!source) return {};
  const Shape shape = static_shape(builder_.program(), *source);
  if (shape.size() != 2)
    return draft_.fail(node.loc, fmt::format("{} takes a matrix, found shape {}", node.function,
                                             to_string(shape)));
  const std::vector<int> dims = kept(*source);
  const auto [bound, size] = reshaped(
      reshape_of(make_op(node.function)), shape, source->size[static_cast<std::size_t>(dims[0])],
      source->size[static_cast<std::size_t>(dims[1])], builder_.integer(1));
  draft_.at(node.loc);
  const DType type = ref_info(builder_.program(), source->base).dtype;
  const bool keeps_type = node.function == "transpose" || is_integer(type);
  const Slice target = to ? *to : tiles_.temporary(keeps_type ? type : DType::f32, bound, size);
  Op op = make_op(node.function);
  field<Slice>(op, info(op).fields[0]) = target;
  field<Slice>(op, info(op).fields[1]) = *source;
  builder_.emit(std::move(op));
  return {.kind = Entity::Kind::view, .slice = target};
}

}  // namespace tessera
