#include <fmt/format.h>

#include <algorithm>

#include "core/lang/tile_lowering.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

// Side of a matrix product, evaluated once; `transpose(x)` is read in place.
struct Factor {
  Slice slice;
  bool is_transposed;
};
// ProductExtents of the product.
struct ProductExtents {
  Shape bound;
  std::vector<ValueId> size;
};

// Returns the operand of a transpose that exchanges only the last two dimensions and can therefore
// be read in place; null for other expressions.
const ast::Expression* transposed(const ast::Expression& node) {
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

std::optional<Factor> factor(Elaboration& e, const ast::Expression& node) {
  const ast::Expression* const turned = transposed(node);
  const ast::Expression& inner = turned != nullptr ? *turned : node;
  const auto slice = tile_operand(e, inner);
  if (!slice) return std::nullopt;
  if (is_number(e.program(), *slice))
    return e.fail(inner.loc(), "a matrix product needs tiles on both sides"), std::nullopt;
  const std::size_t rank = kept(*slice).size();
  const auto* call = node.as<ast::Call>();
  const std::size_t named = turned != nullptr ? call->arguments.size() - 1 : 0;
  if (rank < 2 || (turned != nullptr && rank != (named == 0 ? 2 : named)))
    return e.fail(node.loc(),
                  fmt::format("a matrix product needs matrices, found shape {}{}",
                              to_string(static_shape(e.program(), *slice)),
                              turned != nullptr && rank > 2
                                  ? "; for more dimensions `transpose` takes their order"
                                  : "")),
           std::nullopt;
  return Factor{*slice, turned != nullptr};
}

// Adds the leading dimensions; each of their indices has a product of its own. False after an
// error.
bool add_leading(Elaboration& e, const Factor& left, const Factor& right, const ast::Binary& node,
                 ProductExtents& result) {
  const Shape a = static_shape(e.program(), left.slice), b = static_shape(e.program(), right.slice);
  if (a.size() != b.size() || !std::equal(a.begin(), a.end() - 2, b.begin()))
    return e.fail(node.loc,
                  fmt::format("the leading dimensions of a product must be equal: {} and {}",
                              to_string(a), to_string(b))),
           false;
  for (std::size_t d = 0; d + 2 < a.size(); ++d) {
    result.bound.push_back(a[d]);
    result.size.push_back(left.slice.size[static_cast<std::size_t>(kept(left.slice)[d])]);
  }
  return true;
}

// Adds the rows of the left side, or the columns of the right side.
void add_factor(Elaboration& e, const Factor& side, bool is_left, ProductExtents& result) {
  const Shape shape = static_shape(e.program(), side.slice);
  const std::size_t d = shape.size() - (side.is_transposed == is_left ? 1 : 2);
  result.bound.push_back(shape[d]);
  result.size.push_back(side.slice.size[static_cast<std::size_t>(kept(side.slice)[d])]);
}

}  // namespace

void multiply_add(Elaboration& e, const Slice& acc, const ast::Binary& product) {
  const auto a = factor(e, *product.left), b = factor(e, *product.right);
  if (!a || !b) return;
  e.at(product.loc);
  e.builder.emit(Matmul{acc, a->slice, b->slice, a->is_transposed, b->is_transposed});
}

Entity matmul(Elaboration& e, const ast::Binary& node) {
  const auto a = factor(e, *node.left), b = factor(e, *node.right);
  if (!a || !b) return {};
  ProductExtents extents;
  if (!add_leading(e, *a, *b, node, extents)) return {};
  add_factor(e, *a, true, extents);
  add_factor(e, *b, false, extents);
  const DType type = accumulator(ref_info(e.program(), a->slice.base).dtype);
  const Slice target = temporary(e, type, extents.bound, extents.size);
  e.at(node.loc);
  e.builder.emit(Cast{target, Builder::number(e.builder.integer(0))});
  e.builder.emit(Matmul{target, a->slice, b->slice, a->is_transposed, b->is_transposed});
  return view_entity(target);
}

}  // namespace tessera
