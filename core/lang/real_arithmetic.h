// Arithmetic on reals that are known at instantiation: parameters, literals and results computed
// from them. Computed in f64 and rounded when a tile op uses them.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Returns a known integer or real as a double; none for other entities.
std::optional<double> known_number(const Elaboration& e, const Entity& entity);
Entity real_entity(Elaboration& e, double number);
// Return the result on known numbers, at least one of them real. Comparisons return an integer, 0
// or 1. A NaN is reported as an error. nullopt: an operand is not a known number, none is real, or
// there is no rule for reals.
std::optional<Entity> real_binary(Elaboration& e, const ast::Binary& node, const Entity& left,
                                  const Entity& right);
std::optional<Entity> real_function(Elaboration& e, const ast::Call& call,
                                    const std::vector<Entity>& arguments);

}  // namespace tessera
