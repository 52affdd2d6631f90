// Real numbers that are known when the kernel is instantiated: its parameters, literals, and what
// is computed of them. They are computed in f64 and rounded where a tile op takes them.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "core/lang/draft.h"

namespace tessera {

class RealArithmetic {
 public:
  explicit RealArithmetic(Draft& draft) : draft_(draft), builder_(draft.builder()) {}

  // An integer or a real that is known.
  std::optional<double> known_number(const Entity& entity) const;
  Entity real_entity(double number);
  // nullopt for what is not of known numbers, or not of reals.
  std::optional<Entity> binary(const ast::Binary& node, const Entity& left, const Entity& right);
  std::optional<Entity> function(const ast::Call& call, const std::vector<Entity>& arguments);

 private:
  Entity number(double result, std::string_view word, const Loc& loc);

  Draft& draft_;
  Builder& builder_;
};

}  // namespace tessera
