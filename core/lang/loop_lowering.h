// Loops, and the grid and the windows of pipelines.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class Blocks;
class Expressions;
class PlaceLowering;
class ScopedMemory;

class LoopLowering {
 public:
  LoopLowering(Draft& draft, Names& names, ScopedMemory& scoped, Expressions& expressions,
               PlaceLowering& places, Blocks& blocks);

  void lower(const ast::For& node);
  void lower(const ast::While& node);
  void lower(const ast::Pipeline& node);
  void lower(const ast::Grid& node);
  void lower(const ast::Window& node);

  // Of a loop or a grid dimension: what counts its turns, from lower to upper.
  struct Turns {
    ValueId index, lower, upper;
  };
  // By the loop's variable; null for any other value.
  const Turns* turns_of(ValueId variable) const;

 private:
  // Lower to upper; with a step (else no_value), begin + index * step.
  struct Steps {
    ValueId lower, upper, begin, step;
  };
  std::optional<Steps> loop_steps(const ast::LoopVariable& variable, bool is_grid);
  Steps counted(const Entity& bounds, ValueId step);
  static std::string index_name(const ast::LoopVariable& variable, const Steps& steps);
  Entity loop_variable(const ast::LoopVariable& variable, ValueId index, const Steps& steps);
  void grid(const ast::LoopVariable& variable);
  bool add_attribute(const ast::WindowAttribute& attribute, Window& op);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  ScopedMemory& scoped_;
  Expressions& expressions_;
  PlaceLowering& places_;
  Blocks& blocks_;
  std::map<ValueId, Turns> turns_;
};

}  // namespace tessera
