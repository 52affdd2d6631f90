// Loops, and the grid and the windows of pipelines.
#include <fmt/format.h>

#include "core/lang/elaborate_block.h"

namespace tessera {

// The bounds of the loop that the program has: with a step it counts the steps, from 0.
std::optional<Elaborator::Steps> Elaborator::loop_steps(const Node& variable, bool is_grid) {
  const Entity bounds = range(variable.kids[0]);
  if (bounds.kind == Entity::Kind::nothing) return std::nullopt;
  if (variable.kids.size() == 1) return Steps{bounds.value, bounds.upper, no_value, no_value};
  const Node& by = variable.kids[1];
  const ValueId step = scalar(by);
  if (step == no_value) return std::nullopt;
  const auto known = builder_.program().constant(step);
  if (known && *known < 1) {
    fail(by, fmt::format("the step of a loop is at least 1, found {}", *known));
    return std::nullopt;
  }
  if (known && *known == 1) return Steps{bounds.value, bounds.upper, no_value, no_value};
  if (!known && is_grid) {
    fail(by, "the step of a grid dimension must be known when the kernel is instantiated");
    return std::nullopt;
  }
  at(by);
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
std::string Elaborator::index_name(const Node& variable, const Steps& steps) {
  return steps.step == no_value ? variable.text : variable.text + "_step";
}

Entity Elaborator::loop_variable(const Node& variable, ValueId index, const Steps& steps) {
  ValueId value = index;
  if (steps.step != no_value) {
    at(variable);
    value = builder_.add(steps.begin, builder_.mul(index, steps.step));
  }
  grid_[value] = {index, steps.lower, steps.upper};
  Entity entity = scalar_entity(value);
  return value == index ? entity : name_result(std::move(entity), variable.text);
}

void Elaborator::loop(const Node& node) {
  const Node& variable = node.kids[0];
  const auto steps = loop_steps(variable, false);
  if (!steps) return;
  at(node);
  const ValueId i = builder_.emit(For{steps->lower, steps->upper, variable.integer},
                                  index_name(variable, *steps));
  {
    Block inner(*this);
    scope_->names[variable.text] = loop_variable(variable, i, *steps);
    block(node.kids[1]);
    at(node);
  }
  builder_.emit(End{});
}

void Elaborator::pipeline(const Node& node) {
  at(node);
  builder_.emit(Pipeline{});
  {
    Block inner(*this);
    for (std::size_t i = 0; i + 1 < node.kids.size(); ++i) grid(node.kids[i]);
    block(node.kids.back());
    at(node);
  }
  builder_.emit(End{});
}

void Elaborator::grid(const Node& variable) {
  const auto steps = loop_steps(variable, true);
  if (!steps) {
    scope_->names.try_emplace(variable.text);
    return;
  }
  at(variable);
  const ValueId i = builder_.emit(Grid{steps->lower, steps->upper, variable.integer},
                                  index_name(variable, *steps));
  bind(variable.text, loop_variable(variable, i, *steps), variable);
}

void Elaborator::window(const Node& node) {
  const auto source = memory(node.kids[0]);
  Window op{.source = {},
            .depth = 2,
            .pad = 0,
            .when = builder_.integer(1),
            .update = 0,
            .update_when = builder_.integer(1)};
  bool ok = source.has_value();
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    const Node& attribute = node.kids[i];
    if (attribute.text == "depth") {
      const auto depth = constant(attribute.kids[0], "the depth of a window");
      const bool fits = depth && 1 <= *depth && *depth <= max_window_depth;
      if (depth && !fits)
        fail(attribute,
             fmt::format("the depth of a window is 1 to {}, found {}", max_window_depth, *depth));
      ok &= fits;
      op.depth = depth.value_or(1);
    } else if (attribute.text == "pad") {
      const auto pad = constant(attribute.kids[0], "the padding of a window");
      if (pad && *pad != 0)
        fail(attribute, "a window is padded with 0 or not at all", ErrorCode::unsupported);
      ok &= pad && *pad == 0;
      op.pad = 1;
    } else if (attribute.text == "when") {
      op.when = scalar(attribute.kids[0]);
      ok &= op.when != no_value;
    } else {
      op.update = 1;
      if (!attribute.kids.empty()) op.update_when = scalar(attribute.kids[0]);
      ok &= op.update_when != no_value;
    }
  }
  if (!ok) {
    scope_->names.try_emplace(node.text);
    return;
  }
  at(node);
  op.source = *source;
  const ValueId ref = builder_.emit(std::move(op), node.text);
  bind(node.text, {.kind = Entity::Kind::view, .slice = builder_.whole(ref)}, node);
}

}  // namespace tessera
