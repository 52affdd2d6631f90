#include "core/lang/product_lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/lang/tile_lowering.h"
#include "core/program/refs.h"

namespace tessera {

ProductLowering::ProductLowering(Draft& draft, TileLowering& tiles)
    : draft_(draft), builder_(draft.builder()), tiles_(tiles) {}

// What is transposed in its last two dimensions alone, and so can be read in place; null for
// others.
const ast::Expression* ProductLowering::transposed(const ast::Expression& node) {
  const auto* call = node.as<ast::Call>();
  if (call == nullptr || call->function != "transpose" || call->arguments.empty()) return nullptr;
  const std::size_t rank = call->arguments.size() - 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto* digit = call->arguments[d + 1].as<ast::Integer>();
    const std::size_t wanted = d + 2 < rank ? d : 2 * rank - 3 - d;
    if (digit == nullptr || digit->value != static_cast<std::int64_t>(wanted)) return nullptr;
  }
  return rank == 0 || rank >= 2 ? call->arguments.data() : nullptr;
}

std::optional<ProductLowering::Factor> ProductLowering::factor(const ast::Expression& node) {
  const ast::Expression* const turned = transposed(node);
  const ast::Expression& inner = turned != nullptr ? *turned : node;
  const auto slice = tiles_.operand(inner);
  if (!slice) return std::nullopt;
  if (is_number(builder_.program(), *slice))
    return draft_.fail(inner.loc(), "a matrix product needs tiles on both sides"), std::nullopt;
  const std::size_t rank = kept(*slice).size();
  const auto* call = node.as<ast::Call>();
  const std::size_t named = turned != nullptr ? call->arguments.size() - 1 : 0;
  if (rank < 2 || (turned != nullptr && rank != (named == 0 ? 2 : named)))
    return draft_.fail(node.loc(),
                       fmt::format("a matrix product needs matrices, found shape {}{}",
                                   to_string(static_shape(builder_.program(), *slice)),
                                   turned != nullptr && rank > 2
                                       ? "; of more dimensions `transpose` takes their order"
                                       : "")),
           std::nullopt;
  return Factor{*slice, turned != nullptr};
}

void ProductLowering::multiply_add(const Slice& acc, const ast::Binary& product) {
  const auto a = factor(*product.left), b = factor(*product.right);
  if (!a || !b) return;
  draft_.at(product.loc);
  builder_.emit(Matmul{acc, a->slice, b->slice, a->is_transposed, b->is_transposed});
}

// Leading dimensions, of which each index has a product of its own; false after an error.
bool ProductLowering::add_leading(const Factor& left, const Factor& right, const ast::Binary& node,
                                  Extents& result) {
  const Shape a = static_shape(builder_.program(), left.slice),
              b = static_shape(builder_.program(), right.slice);
  if (a.size() != b.size() || !std::equal(a.begin(), a.end() - 2, b.begin()))
    return draft_.fail(node.loc,
                       fmt::format("the leading dimensions of a product must be equal: {} and {}",
                                   to_string(a), to_string(b))),
           false;
  for (std::size_t d = 0; d + 2 < a.size(); ++d) {
    result.bound.push_back(a[d]);
    result.size.push_back(left.slice.size[static_cast<std::size_t>(kept(left.slice)[d])]);
  }
  return true;
}

// The rows of the left side, or the columns of the right one.
void ProductLowering::add_factor(const Factor& side, bool is_left, Extents& result) {
  const Shape shape = static_shape(builder_.program(), side.slice);
  const std::size_t d = shape.size() - (side.is_transposed == is_left ? 1 : 2);
  result.bound.push_back(shape[d]);
  result.size.push_back(side.slice.size[static_cast<std::size_t>(kept(side.slice)[d])]);
}

Entity ProductLowering::matmul(const ast::Binary& node) {
  const auto a = factor(*node.left), b = factor(*node.right);
  if (!a || !b) return {};
  Extents extents;
  if (!add_leading(*a, *b, node, extents)) return {};
  add_factor(*a, true, extents);
  add_factor(*b, false, extents);
  const DType type = accumulator(ref_info(builder_.program(), a->slice.base).dtype);
  const Slice target = tiles_.temporary(type, extents.bound, extents.size);
  draft_.at(node.loc);
  builder_.emit(Cast{target, Builder::number(builder_.integer(0))});
  builder_.emit(Matmul{target, a->slice, b->slice, a->is_transposed, b->is_transposed});
  return {.kind = Entity::Kind::view, .slice = target};
}

}  // namespace tessera
