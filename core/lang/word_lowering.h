// Words of the language that are no ops of their own: what each means is said here, in
// array_words.h and in tile_words.h.
#pragma once
#include <optional>

#include "core/lang/draft.h"

namespace tessera {

class ArrayWords;
class DeclarationLowering;
class Expressions;
class LoopLowering;
class MeshLowering;
class OrderWords;
class PlaceLowering;
class RealArithmetic;
class TileLowering;
class TileWords;
class TypeBinder;

class WordLowering {
 public:
  WordLowering(Draft& draft, Expressions& expressions, RealArithmetic& reals, PlaceLowering& places,
               TileLowering& tiles, TypeBinder& types, LoopLowering& loops,
               DeclarationLowering& declarations, MeshLowering& mesh, ArrayWords& arrays,
               TileWords& tile_words, OrderWords& order_words);

  // nullopt for what is no word of the language.
  std::optional<Entity> call(const ast::Call& node, const Slice* to);
  Entity view_as(const ast::ViewAs& node);

 private:
  Entity real(const ast::Call& node);
  Entity view(const ast::Call& node);
  Entity concat(const ast::Call& node);
  Entity barrier(const ast::Call& node);
  Entity at_end_of_loop(const ast::Call& node);
  Entity largest(const ast::Call& node);
  Entity clamp(const ast::Call& node, const Slice* to);
  Entity absolute(const ast::Call& node, const Slice* to);

  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  RealArithmetic& reals_;
  PlaceLowering& places_;
  TileLowering& tiles_;
  TypeBinder& types_;
  LoopLowering& loops_;
  DeclarationLowering& declarations_;
  MeshLowering& mesh_;
  ArrayWords& arrays_;
  TileWords& tile_words_;
  OrderWords& order_words_;
};

}  // namespace tessera
