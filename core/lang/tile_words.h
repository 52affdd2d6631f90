// Functions of tiles, by the words of the ops that compute them.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class RealArithmetic;
class TileLowering;

class TileWords {
 public:
  TileWords(Draft& draft, Expressions& expressions, RealArithmetic& reals, TileLowering& tiles);

  // nullopt for what is no such word.
  std::optional<Entity> call(const ast::Call& node, const Slice* to);

 private:
  Entity elementwise(std::size_t tile_op, const ast::Call& node, const Slice* to);
  Entity integers(const ast::Call& node, const std::vector<Entity>& arguments);
  Entity scaled(const ast::Call& node, const Slice* to);
  Entity indices(const ast::Call& node, const Slice* to);
  Entity reduced(Op op, const ast::Call& node, const Slice* to);
  Entity transposed(const ast::Call& node, const Slice* to);
  std::optional<Slice> source_of(const ast::Call& node);
  std::optional<std::vector<int>> dimensions(const ast::Call& node, const Slice& source);
  Entity reshape(Op op, const Slice& source, const Loc& loc, const Slice* to);

  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  RealArithmetic& reals_;
  TileLowering& tiles_;
};

}  // namespace tessera
