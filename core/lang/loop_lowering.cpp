#include <fmt/format.h>

#include <utility>

#include "core/lang/expression_lowering.h"
#include "core/lang/place_lowering.h"
#include "core/lang/statement_lowering.h"

namespace tessera {
namespace {

// True if the number is at least 1 in every run.
bool is_positive(const Program& program, ValueId number) {
  const Value& value = program.value(number);
  if (value.constant) return value.integer >= 1;
  if (!value.statement) return false;
  const Op& op = program.body[value.statement].op;
  if (std::holds_alternative<CoreCount>(op) || std::holds_alternative<DeviceCount>(op)) return true;
  const auto* larger = std::get_if<Max>(&op);
  return larger != nullptr && (is_positive(program, larger->a) || is_positive(program, larger->b));
}

// Bounds of a loop. With a step (else no_value), the loop variable is begin + index * step.
struct Steps {
  ValueId lower, upper, begin, step;
};

Steps counted(Elaboration& e, const Entity& bounds, ValueId step) {
  const ValueId one = e.builder.integer(1);
  if (!is_positive(e.program(), step))
    e.builder.emit(
        Require{e.builder.emit(Le{one, step}), e.builder.text("the step of a loop is at least 1")});
  // Div rounds down, so an empty range has no iterations. Adding `step - 1` before a division could
  // overflow for a large step.
  const ValueId last = e.builder.sub(e.builder.sub(bounds.upper, bounds.value), one);
  const ValueId turns = e.builder.add(e.builder.emit(Div{last, step}), one);
  return {e.builder.integer(0), turns, bounds.value, step};
}

// Returns the bounds of the program's loop; a loop with a step counts its steps from 0. None after
// an error.
std::optional<Steps> loop_steps(Elaboration& e, const ast::LoopVariable& variable, bool is_grid) {
  const Entity bounds = range(e, variable.range);
  if (bounds.kind == Entity::Kind::nothing) return std::nullopt;
  if (!variable.step) return Steps{bounds.value, bounds.upper, no_value, no_value};
  const ast::Expression& by = *variable.step;
  const ValueId step = scalar(e, by);
  if (step == no_value) return std::nullopt;
  const auto known = e.program().constant(step);
  if (known && *known < 1) {
    e.fail(by.loc(), fmt::format("the step of a loop is at least 1, found {}", *known));
    return std::nullopt;
  }
  if (known && *known == 1) return Steps{bounds.value, bounds.upper, no_value, no_value};
  // A grid cannot contain an op that checks that its step is at least 1.
  if (is_grid && !is_positive(e.program(), step)) {
    e.fail(by.loc(),
           "the step of a grid dimension must be at least 1 in every run; expected a "
           "number that is known when the kernel is instantiated, `cores`, `devices`, or "
           "`max(n, 1)` of another number");
    return std::nullopt;
  }
  e.at(by.loc());
  return counted(e, bounds, step);
}

// Returns the name of the loop in findings; different from the variable's name if the loop counts
// steps.
std::string index_name(const ast::LoopVariable& variable, const Steps& steps) {
  return steps.step == no_value ? variable.name : variable.name + "_step";
}

Entity loop_variable(Elaboration& e, const ast::LoopVariable& variable, ValueId index,
                     const Steps& steps) {
  ValueId value = index;
  if (steps.step != no_value) {
    e.at(variable.loc);
    value = e.builder.add(steps.begin, e.builder.mul(index, steps.step));
  }
  e.loops[value] = {index, steps.lower, steps.upper};
  Entity entity = scalar_entity(value);
  return value == index ? entity : e.name_result(std::move(entity), variable.name);
}

void grid(Elaboration& e, const ast::LoopVariable& variable) {
  const auto steps = loop_steps(e, variable, true);
  if (!steps) {
    e.names.set_unknown(variable.name);
    return;
  }
  e.at(variable.loc);
  const ValueId i = e.builder.emit(Grid{steps->lower, steps->upper, variable.is_parallel},
                                   index_name(variable, *steps));
  e.bind(variable.name, loop_variable(e, variable, i, *steps), variable.loc);
}

// Writes an attribute to `op`; false after an error.
bool add_attribute(Elaboration& e, const ast::WindowAttribute& attribute, Window& op) {
  switch (attribute.kind) {
    case ast::WindowAttribute::Kind::depth: {
      const auto depth = constant(e, *attribute.value, "the depth of a window");
      const bool fits = depth && 1 <= *depth && *depth <= max_window_depth;
      if (depth && !fits)
        e.fail(attribute.loc,
               fmt::format("the depth of a window is 1 to {}, found {}", max_window_depth, *depth));
      op.depth = depth.value_or(1);
      return fits;
    }
    case ast::WindowAttribute::Kind::pad: {
      const auto pad = constant(e, *attribute.value, "the padding of a window");
      if (pad && *pad != 0)
        e.fail(attribute.loc, "a window is padded with 0 or not at all", ErrorCode::unsupported);
      op.pad = 1;
      return pad && *pad == 0;
    }
    case ast::WindowAttribute::Kind::when:
      op.when = scalar(e, *attribute.value);
      return op.when != no_value;
    case ast::WindowAttribute::Kind::update:
      op.update = 1;
      if (attribute.value) op.update_when = scalar(e, *attribute.value);
      return op.update_when != no_value;
  }
  return false;
}

}  // namespace

void lower(Elaboration& e, const ast::For& node) {
  const ast::LoopVariable& variable = node.variable;
  const auto steps = loop_steps(e, variable, false);
  if (!steps) return;
  e.at(node.loc);
  const ValueId i = e.builder.emit(For{steps->lower, steps->upper, variable.is_parallel},
                                   index_name(variable, *steps));
  {
    const BlockScope inner(e);
    e.names.set(variable.name, loop_variable(e, variable, i, *steps));
    block(e, node.body);
    e.at(node.loc);
  }
  e.builder.emit(End{});
}

// The condition is computed in the loop, before each iteration.
void lower(Elaboration& e, const ast::While& node) {
  e.at(node.loc);
  e.builder.emit(While{}, "turn");
  {
    const BlockScope inner(e);
    if (node.condition) {
      const ValueId condition = scalar(e, *node.condition);
      e.at(node.loc);
      if (condition != no_value) e.builder.emit(Proceed{condition});
    }
    block(e, node.body);
    e.at(node.loc);
  }
  e.builder.emit(End{});
}

void lower(Elaboration& e, const ast::Pipeline& node) {
  e.at(node.loc);
  e.builder.emit(Pipeline{});
  {
    const BlockScope inner(e);
    for (const ast::LoopVariable& variable : node.grid) grid(e, variable);
    block(e, node.body);
    e.at(node.loc);
  }
  e.builder.emit(End{});
}

void lower(Elaboration& e, const ast::Grid& node) { grid(e, node.variable); }

void lower(Elaboration& e, const ast::Window& node) {
  const auto source = memory(e, node.source);
  Window op{.source = {},
            .depth = 2,
            .pad = 0,
            .when = e.builder.integer(1),
            .update = 0,
            .update_when = e.builder.integer(1)};
  bool ok = source.has_value();
  for (const ast::WindowAttribute& attribute : node.attributes)
    ok &= add_attribute(e, attribute, op);
  if (!ok) {
    e.names.set_unknown(node.name);
    return;
  }
  e.at(node.loc);
  op.source = *source;
  const ValueId ref = e.builder.emit(std::move(op), node.name);
  e.bind(node.name, view_entity(e.builder.whole(ref)), node.loc);
}

}  // namespace tessera
