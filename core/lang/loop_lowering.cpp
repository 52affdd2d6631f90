#include "core/lang/loop_lowering.h"

#include <fmt/format.h>

#include <utility>

#include "core/lang/blocks.h"
#include "core/lang/expressions.h"
#include "core/lang/place_lowering.h"
#include "core/lang/scoped_memory.h"

namespace tessera {
namespace {

// Whether a number is at least 1 in every run.
bool is_positive(const Program& program, ValueId number) {
  const Value& value = program.value(number);
  if (value.constant) return value.integer >= 1;
  if (!value.statement) return false;
  const Op& op = program.body[value.statement].op;
  if (std::holds_alternative<CoreCount>(op) || std::holds_alternative<DeviceCount>(op)) return true;
  const auto* larger = std::get_if<Max>(&op);
  return larger != nullptr && (is_positive(program, larger->a) || is_positive(program, larger->b));
}

}  // namespace

LoopLowering::LoopLowering(Draft& draft, Names& names, ScopedMemory& scoped,
                           Expressions& expressions, PlaceLowering& places, Blocks& blocks)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      scoped_(scoped),
      expressions_(expressions),
      places_(places),
      blocks_(blocks) {}

const LoopLowering::Turns* LoopLowering::turns_of(ValueId variable) const {
  const auto found = turns_.find(variable);
  return found == turns_.end() ? nullptr : &found->second;
}

// The bounds of the loop that the program has: with a step it counts the steps, from 0.
std::optional<LoopLowering::Steps> LoopLowering::loop_steps(const ast::LoopVariable& variable,
                                                            bool is_grid) {
  const Entity bounds = expressions_.range(variable.range);
  if (bounds.kind == Entity::Kind::nothing) return std::nullopt;
  if (!variable.step) return Steps{bounds.value, bounds.upper, no_value, no_value};
  const ast::Expression& by = *variable.step;
  const ValueId step = expressions_.scalar(by);
  if (step == no_value) return std::nullopt;
  const auto known = builder_.program().constant(step);
  if (known && *known < 1) {
    draft_.fail(by.loc(), fmt::format("the step of a loop is at least 1, found {}", *known));
    return std::nullopt;
  }
  if (known && *known == 1) return Steps{bounds.value, bounds.upper, no_value, no_value};
  // A grid has no place for the question whether its step is at least 1.
  if (is_grid && !is_positive(builder_.program(), step)) {
    draft_.fail(by.loc(),
                "the step of a grid dimension must be at least 1 whatever the run does; expected a "
                "number that is known when the kernel is instantiated, `cores`, `devices`, or "
                "`max(n, 1)` of another number");
    return std::nullopt;
  }
  draft_.at(by.loc());
  return counted(bounds, step);
}

LoopLowering::Steps LoopLowering::counted(const Entity& bounds, ValueId step) {
  const ValueId one = builder_.integer(1);
  if (!is_positive(builder_.program(), step))
    builder_.emit(
        Require{builder_.emit(Le{one, step}), builder_.text("the step of a loop is at least 1")});
  // Rounded down, so that an empty range has no turn, and no sum that a large step makes wrap.
  const ValueId last = builder_.sub(builder_.sub(bounds.upper, bounds.value), one);
  const ValueId turns = builder_.add(builder_.emit(Div{last, step}), one);
  return {builder_.integer(0), turns, bounds.value, step};
}

// What the loop of the program is called in findings: where it counts steps, that is no `i`.
std::string LoopLowering::index_name(const ast::LoopVariable& variable, const Steps& steps) {
  return steps.step == no_value ? variable.name : variable.name + "_step";
}

Entity LoopLowering::loop_variable(const ast::LoopVariable& variable, ValueId index,
                                   const Steps& steps) {
  ValueId value = index;
  if (steps.step != no_value) {
    draft_.at(variable.loc);
    value = builder_.add(steps.begin, builder_.mul(index, steps.step));
  }
  turns_[value] = {index, steps.lower, steps.upper};
  Entity entity = scalar_entity(value);
  return value == index ? entity : draft_.name_result(std::move(entity), variable.name);
}

void LoopLowering::lower(const ast::For& node) {
  const ast::LoopVariable& variable = node.variable;
  const auto steps = loop_steps(variable, false);
  if (!steps) return;
  draft_.at(node.loc);
  const ValueId i = builder_.emit(For{steps->lower, steps->upper, variable.is_parallel},
                                  index_name(variable, *steps));
  {
    const BlockScope inner(names_, scoped_);
    names_.set(variable.name, loop_variable(variable, i, *steps));
    blocks_.block(node.body);
    draft_.at(node.loc);
  }
  builder_.emit(End{});
}

// What the condition needs is computed in the loop, before each turn.
void LoopLowering::lower(const ast::While& node) {
  draft_.at(node.loc);
  builder_.emit(While{}, "turn");
  {
    const BlockScope inner(names_, scoped_);
    if (node.condition) {
      const ValueId condition = expressions_.scalar(*node.condition);
      draft_.at(node.loc);
      if (condition != no_value) builder_.emit(Proceed{condition});
    }
    blocks_.block(node.body);
    draft_.at(node.loc);
  }
  builder_.emit(End{});
}

void LoopLowering::lower(const ast::Pipeline& node) {
  draft_.at(node.loc);
  builder_.emit(Pipeline{});
  {
    const BlockScope inner(names_, scoped_);
    for (const ast::LoopVariable& variable : node.grid) grid(variable);
    blocks_.block(node.body);
    draft_.at(node.loc);
  }
  builder_.emit(End{});
}

void LoopLowering::lower(const ast::Grid& node) { grid(node.variable); }

void LoopLowering::grid(const ast::LoopVariable& variable) {
  const auto steps = loop_steps(variable, true);
  if (!steps) {
    names_.set_unknown(variable.name);
    return;
  }
  draft_.at(variable.loc);
  const ValueId i = builder_.emit(Grid{steps->lower, steps->upper, variable.is_parallel},
                                  index_name(variable, *steps));
  names_.bind(variable.name, loop_variable(variable, i, *steps), variable.loc);
}

// What an attribute says is written to `op`; false after an error.
bool LoopLowering::add_attribute(const ast::WindowAttribute& attribute, Window& op) {
  switch (attribute.kind) {
    case ast::WindowAttribute::Kind::depth: {
      const auto depth = expressions_.constant(*attribute.value, "the depth of a window");
      const bool fits = depth && 1 <= *depth && *depth <= max_window_depth;
      if (depth && !fits)
        draft_.fail(attribute.loc, fmt::format("the depth of a window is 1 to {}, found {}",
                                               max_window_depth, *depth));
      op.depth = depth.value_or(1);
      return fits;
    }
    case ast::WindowAttribute::Kind::pad: {
      const auto pad = expressions_.constant(*attribute.value, "the padding of a window");
      if (pad && *pad != 0)
        draft_.fail(attribute.loc, "a window is padded with 0 or not at all",
                    ErrorCode::unsupported);
      op.pad = 1;
      return pad && *pad == 0;
    }
    case ast::WindowAttribute::Kind::when:
      op.when = expressions_.scalar(*attribute.value);
      return op.when != no_value;
    case ast::WindowAttribute::Kind::update:
      op.update = 1;
      if (attribute.value) op.update_when = expressions_.scalar(*attribute.value);
      return op.update_when != no_value;
  }
  return false;
}

void LoopLowering::lower(const ast::Window& node) {
  const auto source = places_.memory(node.source);
  Window op{.source = {},
            .depth = 2,
            .pad = 0,
            .when = builder_.integer(1),
            .update = 0,
            .update_when = builder_.integer(1)};
  bool ok = source.has_value();
  for (const ast::WindowAttribute& attribute : node.attributes) ok &= add_attribute(attribute, op);
  if (!ok) {
    names_.set_unknown(node.name);
    return;
  }
  draft_.at(node.loc);
  op.source = *source;
  const ValueId ref = builder_.emit(std::move(op), node.name);
  names_.bind(node.name, {.kind = Entity::Kind::view, .slice = builder_.whole(ref)}, node.loc);
}

}  // namespace tessera
