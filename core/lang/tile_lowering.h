// Tile arithmetic: every expression becomes ops that write a rectangle, the last one the target
// itself. `to` is where the result goes, or null for a temporary.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class TypeBinder;

class TileLowering {
 public:
  TileLowering(Draft& draft, Expressions& expressions, TypeBinder& types);

  // A value and where it stands in the text; nowhere for one that the compiler makes.
  struct Operand {
    Entity entity;
    Loc loc;
  };
  // The elementwise op of the operands, into `to` if that is as good as a cast, else into a
  // temporary of f32, i32 or i64. Numbers, dimensions of size 1 and missing leading ones are
  // repeated; an operand whose shape does not fit is an error at its place. Of numbers alone it is a
  // temporary of one element, without dimensions. Of operands that have no shape either it is a tile
  // that gets its shape where it is used.
  Entity elementwise(std::size_t op, const std::vector<Operand>& operands, const Loc& loc,
                     const Slice* to);
  // -x of a tile or a real: -0 - x of floats, which also changes the sign of 0; 0 - x of integers.
  Entity negative(const Operand& operand, const Loc& loc);
  // tile_iota(dim), in the shape that its use has.
  Entity indices(std::int64_t dim, const Loc& loc);
  // The value as it is stored to the target: what has no shape gets the target's.
  std::optional<Slice> operand_of_store(const Entity& entity, const Loc& loc, const Slice& target);
  // Memory, and where it stands in the text.
  struct Placed {
    Slice slice;
    Loc loc;
  };
  // Whether the value can be repeated to the target's shape; false after an error at the value.
  bool fits(const Placed& value, const Slice& target);
  // An operator with a tile or a real on one side.
  Entity binary(const ast::Binary& node, const Entity& left, const Entity& right, const Slice* to);
  // cast(x): x rounded to the type of what it is stored to; cast(x, T): a temporary of type T.
  Entity cast(const ast::Call& call, const Slice* to);
  // truncate(x), truncate(x, T): the same, cut off; of an integer and a type also the low bits.
  Entity truncate(const ast::Call& call, const Slice* to);

  // A tile or a number, as a tile op takes it.
  std::optional<Slice> operand(const Entity& entity, const Loc& loc);
  std::optional<Slice> operand(const ast::Expression& node);
  Slice temporary(DType dtype, const Shape& bound, const std::vector<ValueId>& size);

 private:
  // What a dimension of a result is, of the operands so far, or of what it is stored to; and the
  // expression whose operands or target these are.
  struct Extents {
    Shape bound;
    std::vector<ValueId> size;
    Loc use;
    bool is_of_target = false;
  };
  // tile_iota(dim), or the op of tiles without a shape and of numbers.
  struct Unshaped {
    std::size_t op;  // 0: tile_iota
    std::int64_t dim;
    std::vector<Operand> operands;
    Loc loc;
  };
  Entity converted(Op op, const ast::Call& call, const Slice* to);
  Entity low_bits(ValueId number, DType type, const Loc& loc);
  Extents extents_of(const Slice& target) const;
  std::optional<Slice> shaped(const Operand& operand, const Extents& extents);
  std::optional<Slice> shaped_indices(const Unshaped& node, const Extents& extents);
  std::optional<Slice> misshapen(const Unshaped& node, const Extents& extents, std::string message);
  bool takes(std::size_t op, const Slice& operand, const Loc& loc);
  bool has_floats(const Entity& entity) const;
  Slice emit_elementwise(std::size_t op, const std::vector<Slice>& operands, const Extents& extents,
                         const Loc& loc, const Slice* to);
  bool broadcast(const Placed& operand, const Loc& loc, Extents& result);
  bool misfit(const Placed& operand, const std::string& shape, const Loc& loc,
              const std::string& wanted);

  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  TypeBinder& types_;
  Table<UnshapedId, Unshaped> unshaped_;
};

}  // namespace tessera
