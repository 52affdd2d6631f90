// Loops, and the grid and the windows of pipelines.
#include <fmt/format.h>

#include "core/lang/elaborate_block.h"

namespace tessera {

// The bounds of the loop that the program has: with a step it counts the steps, from 0.
std::optional<Elaborator::Steps> Elaborator::loop_steps(const ast::LoopVariable& variable,
                                                        bool is_grid) {
  const Entity bounds = range(variable.range);
  if (bounds.kind == Entity::Kind::nothing) return std::nullopt;
  if (!variable.step) return Steps{bounds.value, bounds.upper, no_value, no_value};
  const ast::Expression& by = *variable.step;
  const ValueId step = scalar(by);
  if (step == no_value) return std::nullopt;
  const auto known = builder_.program().constant(step);
  if (known && *known < 1) {
    fail(by.loc(), fmt::format("the step of a loop is at least 1, found {}", *known));
    return std::nullopt;
  }
  if (known && *known == 1) return Steps{bounds.value, bounds.upper, no_value, no_value};
  if (!known && is_grid) {
    fail(by.loc(), "the step of a grid dimension must be known when the kernel is instantiated");
    return std::nullopt;
  }
  at(by.loc());
  const ValueId one = builder_.integer(1);
  if (!known)
    builder_.emit(
        Require{builder_.emit(Le{one, step}), builder_.text("the step of a loop is at least 1")});
  // Rounded down, so that an empty range has no turn, and no sum that a large step makes wrap.
  const ValueId last = builder_.sub(builder_.sub(bounds.upper, bounds.value), one);
  const ValueId turns = builder_.add(builder_.emit(Div{last, step}), one);
  return Steps{builder_.integer(0), turns, bounds.value, step};
}

// What the loop of the program is called in findings: where it counts steps, that is no `i`.
std::string Elaborator::index_name(const ast::LoopVariable& variable, const Steps& steps) {
  return steps.step == no_value ? variable.name : variable.name + "_step";
}

Entity Elaborator::loop_variable(const ast::LoopVariable& variable, ValueId index,
                                 const Steps& steps) {
  ValueId value = index;
  if (steps.step != no_value) {
    at(variable.loc);
    value = builder_.add(steps.begin, builder_.mul(index, steps.step));
  }
  grid_[value] = {index, steps.lower, steps.upper};
  Entity entity = scalar_entity(value);
  return value == index ? entity : name_result(std::move(entity), variable.name);
}

void Elaborator::statement(const ast::For& node) {
  const ast::LoopVariable& variable = node.variable;
  const auto steps = loop_steps(variable, false);
  if (!steps) return;
  at(node.loc);
  const ValueId i = builder_.emit(For{steps->lower, steps->upper, variable.is_parallel},
                                  index_name(variable, *steps));
  {
    Block inner(*this);
    scope_->names[variable.name] = loop_variable(variable, i, *steps);
    block(node.body);
    at(node.loc);
  }
  builder_.emit(End{});
}

void Elaborator::statement(const ast::Pipeline& node) {
  at(node.loc);
  builder_.emit(Pipeline{});
  {
    Block inner(*this);
    for (const ast::LoopVariable& variable : node.grid) grid(variable);
    block(node.body);
    at(node.loc);
  }
  builder_.emit(End{});
}

void Elaborator::statement(const ast::Grid& node) { grid(node.variable); }

void Elaborator::grid(const ast::LoopVariable& variable) {
  const auto steps = loop_steps(variable, true);
  if (!steps) {
    scope_->names.try_emplace(variable.name);
    return;
  }
  at(variable.loc);
  const ValueId i = builder_.emit(Grid{steps->lower, steps->upper, variable.is_parallel},
                                  index_name(variable, *steps));
  bind(variable.name, loop_variable(variable, i, *steps), variable.loc);
}

// What an attribute says is written to `op`; false after an error.
bool Elaborator::add_attribute(const ast::WindowAttribute& attribute, Window& op) {
  switch (attribute.kind) {
    case ast::WindowAttribute::Kind::depth: {
      const auto depth = constant(*attribute.value, "the depth of a window");
      const bool fits = depth && 1 <= *depth && *depth <= max_window_depth;
      if (depth && !fits)
        fail(attribute.loc,
             fmt::format("the depth of a window is 1 to {}, found {}", max_window_depth, *depth));
      op.depth = depth.value_or(1);
      return fits;
    }
    case ast::WindowAttribute::Kind::pad: {
      const auto pad = constant(*attribute.value, "the padding of a window");
      if (pad && *pad != 0)
        fail(attribute.loc, "a window is padded with 0 or not at all", ErrorCode::unsupported);
      op.pad = 1;
      return pad && *pad == 0;
    }
    case ast::WindowAttribute::Kind::when:
      op.when = scalar(*attribute.value);
      return op.when != no_value;
    case ast::WindowAttribute::Kind::update:
      op.update = 1;
      if (attribute.value) op.update_when = scalar(*attribute.value);
      return op.update_when != no_value;
  }
  return false;
}

void Elaborator::statement(const ast::Window& node) {
  const auto source = memory(node.source);
  Window op{.source = {},
            .depth = 2,
            .pad = 0,
            .when = builder_.integer(1),
            .update = 0,
            .update_when = builder_.integer(1)};
  bool ok = source.has_value();
  for (const ast::WindowAttribute& attribute : node.attributes) ok &= add_attribute(attribute, op);
  if (!ok) {
    scope_->names.try_emplace(node.name);
    return;
  }
  at(node.loc);
  op.source = *source;
  const ValueId ref = builder_.emit(std::move(op), node.name);
  bind(node.name, {.kind = Entity::Kind::view, .slice = builder_.whole(ref)}, node.loc);
}

}  // namespace tessera
