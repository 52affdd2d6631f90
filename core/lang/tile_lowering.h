// Lowering of tile arithmetic: each expression becomes ops that write rectangles. The last op
// writes the target directly. to: target of the result; null: a temporary. Functions that return an
// entity return kind `nothing` after an error.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Emits an elementwise op and returns its result. It writes to `to` directly if that is equivalent
// to a cast, otherwise, and if `to` is null, to a temporary of type value_type().
// op: index in Op.
// Numbers, dimensions of size 1 and missing leading dimensions are repeated. Fails at an operand's
// location if its shape does not fit.
// If all operands are numbers, the temporary has one element and no dimensions. If no operand has a
// shape, at least one is unshaped and `to` is null, returns an unshaped tile, which gets its shape
// from its use.
Entity elementwise(Elaboration& e, std::size_t op, const std::vector<Operand>& operands,
                   const Loc& loc, const Slice* to);
// Emits -x of a tile or a real and returns it. Floats: -0 - x, which also changes the sign of 0.
// Integers: 0 - x. For an unshaped tile, returns an unshaped tile and emits nothing.
Entity negative(Elaboration& e, const Operand& operand, const Loc& loc);
// Returns tile_iota(dim) as an unshaped tile, which gets its shape from its use. Emits no op.
Entity tile_indices(Elaboration& e, std::int64_t dim, const Loc& loc);
// Lowers a binary operator with a tile or a real as at least one operand. Fails for operators that
// tiles do not support. to: as in elementwise().
Entity tile_binary(Elaboration& e, const ast::Binary& node, const Entity& left, const Entity& right,
                   const Slice* to);
// Lowers cast(x): x rounded to the type of its target `to`, an error if null; or cast(x, T): a
// temporary of type T.
Entity cast(Elaboration& e, const ast::Call& call, const Slice* to);
// Lowers truncate(x) or truncate(x, T): like cast(), but x is truncated instead of rounded: floats
// towards 0, integers to their low bits. Types other than integer types are errors. truncate(x, T)
// of a number that is an integer returns a number, not a temporary.
Entity truncate(Elaboration& e, const ast::Call& call, const Slice* to);

// Lowers a matrix product that is not added to anything. Returns its accumulator, a temporary that
// is set to zero first.
Entity matmul(Elaboration& e, const ast::Binary& node);
// Lowers acc += product. product: its operator must be Operator::product. Emits nothing after an
// error; types and shapes are left to verify().
void multiply_add(Elaboration& e, const Slice& acc, const ast::Binary& product);

// Return a tile or a number as an operand of a tile op; nullopt after an error. An unshaped tile is
// an error.
std::optional<Slice> tile_operand(Elaboration& e, const Entity& entity, const Loc& loc);
std::optional<Slice> tile_operand(Elaboration& e, const ast::Expression& node);
// Returns the value as an operand of a store to `target`; nullopt after an error. An unshaped tile
// gets the target's shape.
std::optional<Slice> operand_of_store(Elaboration& e, const Entity& entity, const Loc& loc,
                                      const Slice& target);
// Memory with its location in the text.
struct PlacedSlice {
  Slice slice;
  Loc loc;
};
// True if the value can be broadcast to the target's shape; otherwise reports an error at the
// value.
bool fits(Elaboration& e, const PlacedSlice& value, const Slice& target);
// Returns a slice of a new unnamed tile buffer. bound: its declared shape; size: its sizes during
// the run, at most `bound`.
Slice temporary(Elaboration& e, DType dtype, const Shape& bound, const std::vector<ValueId>& size);
// Returns a temporary with the slice's shape.
Slice temporary_like(Elaboration& e, DType dtype, const Slice& slice);
// Returns the sizes of the slice's dimensions, without the dropped ones.
std::vector<ValueId> sizes_of(const Slice& slice);

}  // namespace tessera
