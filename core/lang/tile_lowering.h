// Tile arithmetic: every expression becomes ops that write a rectangle, the last one the target
// itself. `to` is where the result goes, or null for a temporary.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// The elementwise op of the operands, into `to` if that is as good as a cast, else into a temporary
// of f32, i32 or i64. Numbers, dimensions of size 1 and missing leading ones are repeated; an
// operand whose shape does not fit is an error at its place. Of numbers alone it is a temporary of
// one element, without dimensions. Of operands that have no shape either it is a tile that gets its
// shape where it is used.
Entity elementwise(Elaboration& e, std::size_t op, const std::vector<Operand>& operands,
                   const Loc& loc, const Slice* to);
// -x of a tile or a real: -0 - x of floats, which also changes the sign of 0; 0 - x of integers.
Entity negative(Elaboration& e, const Operand& operand, const Loc& loc);
// tile_iota(dim), in the shape that its use has.
Entity tile_indices(Elaboration& e, std::int64_t dim, const Loc& loc);
// An operator with a tile or a real on one side.
Entity tile_binary(Elaboration& e, const ast::Binary& node, const Entity& left, const Entity& right,
                   const Slice* to);
// cast(x): x rounded to the type of what it is stored to; cast(x, T): a temporary of type T.
Entity cast(Elaboration& e, const ast::Call& call, const Slice* to);
// truncate(x), truncate(x, T): the same, cut off; of an integer and a type also the low bits.
Entity truncate(Elaboration& e, const ast::Call& call, const Slice* to);

// A matrix product that is not added to anything: an accumulator of its own, zero first.
Entity matmul(Elaboration& e, const ast::Binary& node);
void multiply_add(Elaboration& e, const Slice& acc, const ast::Binary& product);

// A tile or a number, as a tile op takes it.
std::optional<Slice> tile_operand(Elaboration& e, const Entity& entity, const Loc& loc);
std::optional<Slice> tile_operand(Elaboration& e, const ast::Expression& node);
// The value as it is stored to the target: what has no shape gets the target's.
std::optional<Slice> operand_of_store(Elaboration& e, const Entity& entity, const Loc& loc,
                                      const Slice& target);
// Memory, and where it stands in the text.
struct PlacedSlice {
  Slice slice;
  Loc loc;
};
// Whether the value can be repeated to the target's shape; false after an error at the value.
bool fits(Elaboration& e, const PlacedSlice& value, const Slice& target);
Slice temporary(Elaboration& e, DType dtype, const Shape& bound, const std::vector<ValueId>& size);
// A temporary of the slice's shape.
Slice temporary_like(Elaboration& e, DType dtype, const Slice& slice);
// The sizes of the slice's shape.
std::vector<ValueId> sizes_of(const Slice& slice);

}  // namespace tessera
