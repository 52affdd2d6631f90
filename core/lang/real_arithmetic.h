// Real numbers that are known when the kernel is instantiated: its parameters, literals, and what
// is computed of them. They are computed in f64 and rounded where a tile op takes them.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// An integer or a real that is known.
std::optional<double> known_number(const Elaboration& e, const Entity& entity);
Entity real_entity(Elaboration& e, double number);
// nullopt for what is not of known numbers, or not of reals.
std::optional<Entity> real_binary(Elaboration& e, const ast::Binary& node, const Entity& left,
                                  const Entity& right);
std::optional<Entity> real_function(Elaboration& e, const ast::Call& call,
                                    const std::vector<Entity>& arguments);

}  // namespace tessera
