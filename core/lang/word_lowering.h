// Lowering of words of the language that are not ops.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Returns nullopt if the function is not a word. to: target of a tile; null: a temporary.
std::optional<Entity> call_word(Elaboration& e, const ast::Call& node, const Slice* to);
Entity view_as(Elaboration& e, const ast::ViewAs& node);

// Integer arrays in scalar memory: prefix_sum, iota and repeat. nullopt for other words and for the
// op with this name.
std::optional<Entity> call_array_word(Elaboration& e, const ast::Call& node);
// concat(a, b, ...): concatenates scalars and arrays in order.
Entity concat_arrays(Elaboration& e, const ast::Call& node, std::vector<Entity> arguments);
// name(i in n) = value
Entity define_array(Elaboration& e, const ast::Definition& node);

// Words that rearrange elements of tiles, or their bits, into another shape. nullopt for other
// words and for the op with this name, called with its fields.
std::optional<Entity> call_order_word(Elaboration& e, const ast::Call& node);
// concat(dim, a, b, ...); at least one part is a tile.
Entity concat_tiles(Elaboration& e, const ast::Call& node, const std::vector<Entity>& parts);
// True if the entity is a tile and not an array in scalar memory.
bool is_tile_of_elements(const Elaboration& e, const Entity& entity);
// Selects each step-th element along dimension `dim` of the slice's shape.
Entity every(Elaboration& e, const Slice& source, int dim, std::int64_t step, const Loc& loc);

// Tile functions, named like the ops that compute them. nullopt for other words.
std::optional<Entity> call_tile_word(Elaboration& e, const ast::Call& node, const Slice* to);

// neighbour(x, by): the device at distance `by` along axis x of the mesh. Each axis is a ring.
Entity neighbour(Elaboration& e, const ast::Call& node);
// device_at(x = 1, y = 0): the device at these coordinates. An omitted axis has this device's
// coordinate.
Entity device_at(Elaboration& e, const ast::Call& node);

}  // namespace tessera
