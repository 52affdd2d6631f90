// Arithmetic on reals that are known at instantiation: parameters, literals and results computed
// from them. Computed in f64 and rounded when a tile op uses them.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Returns an integer or real that is known at instantiation as a double; none for other entities.
std::optional<double> known_number(const Elaboration& e, const Entity& entity);
// Returns a constant real; adds it to the program.
Entity real_entity(Elaboration& e, double number);
// Returns the result of an operator on known numbers, at least one of them real. Comparisons return
// an integer, 0 or 1. A NaN is reported as an error, and kind `nothing` is returned. nullopt: an
// operand is not a known number, none is real, or the operator has no rule for reals.
std::optional<Entity> real_binary(Elaboration& e, const ast::Binary& node, const Entity& left,
                                  const Entity& right);
// Returns the result of a tile function, such as exp or max, on known numbers; NaN and nullopt as
// in real_binary(). Functions of one number and pow also accept only integers. Requires as many
// arguments as the function has.
std::optional<Entity> real_function(Elaboration& e, const ast::Call& call,
                                    const std::vector<Entity>& arguments);

}  // namespace tessera
