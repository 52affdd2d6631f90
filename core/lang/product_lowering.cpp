#include "core/lang/product_lowering.h"

#include <fmt/format.h>

#include "core/lang/tile_lowering.h"
#include "core/program/refs.h"

namespace tessera {

ProductLowering::ProductLowering(Draft& draft, TileLowering& tiles)
    : draft_(draft), builder_(draft.builder()), tiles_(tiles) {}

std::optional<ProductLowering::Factor> ProductLowering::factor(const ast::Expression& node) {
  const ast::Call* transposed = call_of(node, "transpose", 1);
  const ast::Expression& inner = transposed != nullptr ? transposed->arguments[0] : node;
  const auto slice = tiles_.operand(inner);
  if (!slice) return std::nullopt;
  if (is_number(builder_.program(), *slice))
    return draft_.fail(inner.loc(), "a matrix product needs tiles on both sides"), std::nullopt;
  return Factor{*slice, transposed != nullptr};
}

void ProductLowering::multiply_add(const Slice& acc, const ast::Binary& product) {
  const auto a = factor(*product.left), b = factor(*product.right);
  if (!a || !b) return;
  draft_.at(product.loc);
  builder_.emit(Matmul{acc, a->slice, b->slice, a->is_transposed, b->is_transposed});
}

// The extent that dimension `dim` of the product has of this side; false after an error.
bool ProductLowering::add_factor(const Factor& side, std::size_t dim, const Loc& loc,
                              Extents& result) {
  const Shape shape = static_shape(builder_.program(), side.slice);
  if (shape.size() != 2)
    return draft_.fail(loc, fmt::format("a matrix product needs matrices, found shape {}",
                                        to_string(shape))),
           false;
  const std::size_t d = side.is_transposed ? 1 - dim : dim;
  result.bound.push_back(shape[d]);
  result.size.push_back(side.slice.size[static_cast<std::size_t>(kept(side.slice)[d])]);
  return true;
}

Entity ProductLowering::matmul(const ast::Binary& node) {
  const auto a = factor(*node.left), b = factor(*node.right);
  if (!a || !b) return {};
  Extents extents;
  if (!add_factor(*a, 0, node.left->loc(), extents) ||
      !add_factor(*b, 1, node.right->loc(), extents))
    return {};
  const DType type = accumulator(ref_info(builder_.program(), a->slice.base).dtype);
  const Slice target = tiles_.temporary(type, extents.bound, extents.size);
  draft_.at(node.loc);
  builder_.emit(Cast{target, Builder::number(builder_.integer(0))});
  builder_.emit(Matmul{target, a->slice, b->slice, a->is_transposed, b->is_transposed});
  return {.kind = Entity::Kind::view, .slice = target};
}

}  // namespace tessera
