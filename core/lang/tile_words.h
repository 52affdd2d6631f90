// Functions of tiles, by the words of the ops that compute them.
#pragma once
#include <optional>

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
  Entity reshape(const ast::Call& node, const Slice* to);

  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  RealArithmetic& reals_;
  TileLowering& tiles_;
};

}  // namespace tessera
