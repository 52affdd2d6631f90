// Matrix products of tiles.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/lang/draft.h"

namespace tessera {

class TileLowering;

class ProductLowering {
 public:
  ProductLowering(Draft& draft, TileLowering& tiles);

  // A product that is not added to anything: an accumulator of its own, zero first.
  Entity matmul(const ast::Binary& node);
  void multiply_add(const Slice& acc, const ast::Binary& product);

 private:
  // A side of a matrix product, evaluated once; `transpose(x)` is read in place.
  struct Factor {
    Slice slice;
    bool is_transposed;
  };
  // What the product has in each dimension.
  struct Extents {
    Shape bound;
    std::vector<ValueId> size;
  };
  std::optional<Factor> factor(const ast::Expression& node);
  const ast::Expression* transposed(const ast::Expression& node);
  bool add_leading(const Factor& left, const Factor& right, const ast::Binary& node,
                   Extents& result);
  void add_factor(const Factor& side, bool is_left, Extents& result);

  Draft& draft_;
  Builder& builder_;
  TileLowering& tiles_;
};

}  // namespace tessera
