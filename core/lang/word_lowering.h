// Words of the language that are no ops of their own.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// nullopt for what is no word of the language. `to`: where a tile goes, or null for a temporary.
std::optional<Entity> call_word(Elaboration& e, const ast::Call& node, const Slice* to);
Entity view_as(Elaboration& e, const ast::ViewAs& node);

// Arrays of integers in scalar memory: prefix_sum, iota and repeat; nullopt for what is no such
// word, or is the op of that name.
std::optional<Entity> call_array_word(Elaboration& e, const ast::Call& node);
// concat(a, b, ...): scalars and arrays, one after the other.
Entity concat_arrays(Elaboration& e, const ast::Call& node, std::vector<Entity> arguments);
// name(i in n) = value
Entity define_array(Elaboration& e, const ast::Definition& node);

// Words of tiles that compute nothing: elements, or their bits, in another shape. nullopt for what
// is no such word, and for the op of that name with its fields.
std::optional<Entity> call_order_word(Elaboration& e, const ast::Call& node);
// concat(dim, a, b, ...), of which at least one is a tile.
Entity concat_tiles(Elaboration& e, const ast::Call& node, const std::vector<Entity>& parts);
// Whether the entity is a tile and no array of scalar memory.
bool is_tile_of_elements(const Elaboration& e, const Entity& entity);
// Each step-th element along dimension `dim` of the slice's shape.
Entity every(Elaboration& e, const Slice& source, int dim, std::int64_t step, const Loc& loc);

// Functions of tiles, by the words of the ops that compute them; nullopt for what is no such word.
std::optional<Entity> call_tile_word(Elaboration& e, const ast::Call& node, const Slice* to);

// neighbour(x, by): the device that is so far along the axis of the mesh, which is a ring.
Entity neighbour(Elaboration& e, const ast::Call& node);
// device_at(x = 1, y = 0): the device there; of an axis that is left out, where this one is.
Entity device_at(Elaboration& e, const ast::Call& node);

}  // namespace tessera
