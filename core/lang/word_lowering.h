// Lowering of words of the language that are not ops. Functions that return an entity return kind
// `nothing` after an error.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Lowers the call of a word and returns its result. nullopt: not a word with this number of
// arguments; it may be an op. to: target of a tile; null: a temporary.
std::optional<Entity> call_word(Elaboration& e, const ast::Call& node, const Slice* to);
// Lowers `view(memory) as type[extents]`; the memory's extents must be known.
Entity view_as(Elaboration& e, const ast::ViewAs& node);

// Lowers a word that creates an integer array in scalar memory: prefix_sum, iota or repeat. nullopt
// for other words and for the op with this name.
std::optional<Entity> call_array_word(Elaboration& e, const ast::Call& node);
// Lowers concat(a, b, ...): concatenates integers and one-dimensional arrays of known length in
// order. arguments: the values of node.arguments.
Entity concat_arrays(Elaboration& e, const ast::Call& node, std::vector<Entity> arguments);
// Lowers `name(i in n) = value` and returns the array; n must be known. The caller binds its name.
Entity define_array(Elaboration& e, const ast::Definition& node);

// Lowers a word that rearranges elements of tiles, or their bits, into another shape: reshape,
// bitcast, broadcast or tiled. nullopt for other words and for the op with this name, called with
// its fields.
std::optional<Entity> call_order_word(Elaboration& e, const ast::Call& node);
// Lowers concat(dim, a, b, ...); at least one part is a tile.
// parts: the values of node.arguments, including `dim`.
Entity concat_tiles(Elaboration& e, const ast::Call& node, const std::vector<Entity>& parts);
// True if the entity is a tile and not an array in scalar memory.
bool is_tile_of_elements(const Elaboration& e, const Entity& entity);
// Emits the selection of each step-th element along dimension `dim` of the slice's shape, from
// element 0 on. Returns a temporary. step: at least 1.
Entity every(Elaboration& e, const Slice& source, int dim, std::int64_t step, const Loc& loc);

// Lowers a call of a tile function or a reduction, for example exp, min or reduce_sum. With only
// numbers as arguments, a function returns a number. nullopt for other words or, except for
// reductions, another number of arguments. to: as for call_word().
std::optional<Entity> call_tile_word(Elaboration& e, const ast::Call& node, const Slice* to);

// Lowers neighbour(x, by): the device at distance `by` along axis x of the mesh. Each axis is a
// ring. `node` must have two arguments.
Entity neighbour(Elaboration& e, const ast::Call& node);
// Lowers device_at(x = 1, y = 0): the device at these coordinates, which are checked in the run. An
// omitted axis has this device's coordinate. `node` must have an argument.
Entity device_at(Elaboration& e, const ast::Call& node);

}  // namespace tessera
