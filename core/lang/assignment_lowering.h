// Stores to memory: numbers to scalar memory, tiles to rectangles.
#pragma once
#include <optional>

#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class PlaceLowering;
class ProductLowering;
class TileLowering;

class AssignmentLowering {
 public:
  AssignmentLowering(Draft& draft, Expressions& expressions, PlaceLowering& places,
                     TileLowering& tiles, ProductLowering& products);

  void lower(const ast::Assignment& node);
  void lower(const ast::Opaque& node);
  // target = value. A tile's type must be the target's unless the value is a cast.
  void store(const Slice& target, const ast::Expression& value, const Loc& loc);

 private:
  std::optional<Slice> opaque_source(const ast::Expression& node);
  void store_number(const Slice& target, const ast::Expression& value, const Loc& loc);
  void store_tile(const Slice& target, const Slice& source, const Loc& loc, std::size_t before);
  bool redirect(const Slice& source, const Slice& target);
  void update_number(const Slice& slice, const ast::Assignment& node);
  void update_tile(const Slice& slice, const ast::Assignment& node);

  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  PlaceLowering& places_;
  TileLowering& tiles_;
  ProductLowering& products_;
};

}  // namespace tessera
