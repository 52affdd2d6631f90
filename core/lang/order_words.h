// Words of tiles that compute nothing: elements, or their bits, in another shape.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class TileLowering;
class TypeBinder;

class OrderWords {
 public:
  OrderWords(Draft& draft, Expressions& expressions, TypeBinder& types, TileLowering& tiles);

  // nullopt for what is no such word, and for the op of that name with its fields.
  std::optional<Entity> call(const ast::Call& node);
  // concat(dim, a, b, ...), of which at least one is a tile.
  Entity concat(const ast::Call& node, const std::vector<Entity>& parts);
  // Whether the entity is a tile and no array of scalar memory.
  bool is_tile_of_elements(const Entity& entity) const;
  // Each step-th element along dimension `dim` of the slice's shape.
  Entity every(const Slice& source, int dim, std::int64_t step, const Loc& loc);

 private:
  struct Source {
    Slice slice;
    Shape shape;
    DType dtype = DType::f32;
  };
  std::optional<Source> source(const ast::Expression& node, std::string_view word);
  std::optional<Source> known_source(const Entity& entity, const Loc& loc, std::string_view word);
  Slice tile(DType dtype, const Shape& shape);
  Entity made(const Slice& slice) { return {.kind = Entity::Kind::view, .slice = slice}; }
  Slice regrouped(const Slice& source, DType dtype, const Shape& shape);
  std::optional<Entity> reshape(const ast::Call& node);
  std::optional<Entity> bitcast(const ast::Call& node);
  Entity broadcast(const ast::Call& node);
  Entity tiled(const ast::Call& node);

  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  TypeBinder& types_;
  TileLowering& tiles_;
};

}  // namespace tessera
