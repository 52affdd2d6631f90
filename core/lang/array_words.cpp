#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/lang/expression_lowering.h"
#include "core/lang/place_lowering.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/word_lowering.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

Entity new_array(Elaboration& e, const std::string& name, std::int64_t length) {
  Buffer buffer;
  buffer.name = name;
  buffer.space = Space::smem;
  buffer.dtype = DType::i64;
  buffer.shape = {length};
  return view_entity(e.builder.whole(e.builder.buffer(std::move(buffer))));
}

Entity unnamed_array(Elaboration& e, const std::string& word, std::int64_t length) {
  Entity array = new_array(e, word, length);
  array.is_unnamed = true;
  return array;
}

// Adds a number or an array to the parts. Returns its length; none after an error.
std::optional<std::int64_t> add_part(Elaboration& e, const ast::Expression& node, Entity part,
                                     std::vector<Entity>& parts) {
  std::optional<std::int64_t> length = 1;
  if (part.kind == Entity::Kind::view) {
    const std::vector<int> dims = kept(part.slice);
    length = dims.size() == 1
                 ? e.program().constant(part.slice.size[static_cast<std::size_t>(dims[0])])
                 : std::nullopt;
    if (!length)
      return e.fail(node.loc(),
                    "concat takes numbers and one-dimensional arrays whose length is known "
                    "when the kernel is instantiated"),
             std::nullopt;
    part.slice = whole_ref(e, part.slice);
  } else if (scalar(e, part, node.loc()) == no_value) {
    return std::nullopt;
  }
  parts.push_back(std::move(part));
  return length;
}

// Copies an array to the elements of another array from index `from` on.
void copy_part(Elaboration& e, const Entity& part, const Entity& array, std::int64_t from) {
  const ValueId i = e.builder.emit(For{e.builder.integer(0), part.slice.size[0], 0}, "i");
  const ValueId to = e.builder.add(i, e.builder.integer(from));
  const ValueId value = e.builder.emit(Load{e.builder.element(part.slice.base, {&i, 1})});
  e.builder.emit(Store{e.builder.element(array.slice.base, {&to, 1}), value});
  e.builder.emit(End{});
}

Entity prefix_sum(Elaboration& e, const ast::Call& node) {
  const Entity source = evaluate(e, node.arguments[0]);
  if (source.kind == Entity::Kind::nothing) return {};
  if (source.kind != Entity::Kind::view) return e.fail(node.loc, "prefix_sum takes an array");
  const Shape shape = static_shape(e.program(), source.slice);
  if (shape.size() != 1) return e.fail(node.loc, "prefix_sum takes a one-dimensional array");
  e.at(node.loc);
  const Entity array = unnamed_array(e, "sums", shape[0] + 1);
  e.builder.emit(PrefixSum{array.slice, source.slice});
  return array;
}

std::optional<Entity> iota(Elaboration& e, const ast::Call& node) {
  const Entity argument = evaluate(e, node.arguments[0]);
  if (argument.kind == Entity::Kind::view) return std::nullopt;  // the op itself
  const auto length = constant(e, node.arguments[0], "the length of an array");
  if (!length) return Entity{};
  e.at(node.loc);
  const Entity array = unnamed_array(e, "iota", *length);
  e.builder.emit(Iota{array.slice});
  return array;
}

std::optional<Entity> repeat(Elaboration& e, const ast::Call& node) {
  const Entity last = evaluate(e, node.arguments[2]);
  if (last.kind == Entity::Kind::view) return std::nullopt;  // the op itself
  const auto length = constant(e, node.arguments[2], "the length of an array");
  if (!length) return Entity{};
  e.at(node.loc);
  const Entity array = unnamed_array(e, "repeat", *length);
  const auto operand = [&](const ast::Expression& argument) {
    return tile_operand(e, evaluate(e, argument), argument.loc());
  };
  const auto values = operand(node.arguments[0]), counts = operand(node.arguments[1]);
  if (!values || !counts) return Entity{};
  e.builder.emit(Repeat{array.slice, *values, *counts});
  return array;
}

}  // namespace

Entity concat_arrays(Elaboration& e, const ast::Call& node, std::vector<Entity> arguments) {
  std::vector<Entity> parts;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto added = add_part(e, node.arguments[i], std::move(arguments[i]), parts);
    if (!added) return {};
    length += *added;
  }
  e.at(node.loc);
  const Entity array = unnamed_array(e, "joined", length);
  std::int64_t next = 0;
  for (const Entity& part : parts) {
    if (part.kind == Entity::Kind::scalar) {
      const ValueId where = e.builder.integer(next++);
      e.builder.emit(Store{e.builder.element(array.slice.base, {&where, 1}), part.value});
      continue;
    }
    copy_part(e, part, array, next);
    next += *e.program().constant(part.slice.size[0]);
  }
  return array;
}

std::optional<Entity> call_array_word(Elaboration& e, const ast::Call& node) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "prefix_sum" && count == 1) return prefix_sum(e, node);
  if (word == "iota" && count == 1 && !node.arguments[0].as<ast::Index>()) return iota(e, node);
  if (word == "repeat" && count == 3) return repeat(e, node);
  return std::nullopt;
}

Entity define_array(Elaboration& e, const ast::Definition& node) {
  if (node.parameters.size() != 1)
    return e.fail(node.loc, "an array is defined over one index: name(i in n) = value");
  const auto& variable = std::get<ast::LoopVariable>(node.parameters[0]);
  const auto length = constant(e, variable.range, "the length of an array");
  if (!length) return {};
  e.at(node.loc);
  const Entity array = new_array(e, node.name, *length);
  const ValueId i =
      e.builder.emit(For{e.builder.integer(0), e.builder.integer(*length), 0}, variable.name);
  {
    const BlockScope inner(e);
    e.names.set(variable.name, scalar_entity(i));
    const ValueId value = scalar(e, node.value);
    if (value == no_value) {
      e.builder.emit(End{});
      return {};
    }
    e.at(node.loc);
    e.builder.emit(Store{e.builder.element(array.slice.base, {&i, 1}), value});
  }
  e.builder.emit(End{});
  return array;
}

}  // namespace tessera
