#include "core/lang/array_words.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/lang/expressions.h"
#include "core/lang/place_lowering.h"
#include "core/lang/scoped_memory.h"
#include "core/lang/tile_lowering.h"
#include "core/program/refs.h"

namespace tessera {

ArrayWords::ArrayWords(Draft& draft, Names& names, ScopedMemory& scoped, Expressions& expressions,
                       PlaceLowering& places, TileLowering& tiles)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      scoped_(scoped),
      expressions_(expressions),
      places_(places),
      tiles_(tiles) {}

Entity ArrayWords::new_array(const std::string& name, std::int64_t length) {
  Buffer buffer;
  buffer.name = name;
  buffer.space = Space::smem;
  buffer.dtype = DType::i64;
  buffer.shape = {length};
  return {.kind = Entity::Kind::view, .slice = builder_.whole(builder_.buffer(std::move(buffer)))};
}

Entity ArrayWords::unnamed_array(const std::string& word, std::int64_t length) {
  Entity array = new_array(word, length);
  array.is_unnamed = true;
  return array;
}

// Adds a number or an array; how long it is, or nothing after an error.
std::optional<std::int64_t> ArrayWords::add_part(const ast::Expression& node, Entity part,
                                                 std::vector<Entity>& parts) {
  std::optional<std::int64_t> length = 1;
  if (part.kind == Entity::Kind::view) {
    const std::vector<int> dims = kept(part.slice);
    length = dims.size() == 1
                 ? builder_.program().constant(part.slice.size[static_cast<std::size_t>(dims[0])])
                 : std::nullopt;
    if (!length)
      return draft_.fail(node.loc(),
                         "concat takes numbers and one-dimensional arrays whose length is known "
                         "when the kernel is instantiated"),
             std::nullopt;
    part.slice = places_.whole_ref(part.slice);
  } else if (expressions_.scalar(part, node.loc()) == no_value) {
    return std::nullopt;
  }
  parts.push_back(std::move(part));
  return length;
}

Entity ArrayWords::concat(const ast::Call& node, std::vector<Entity> arguments) {
  std::vector<Entity> parts;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto added = add_part(node.arguments[i], std::move(arguments[i]), parts);
    if (!added) return {};
    length += *added;
  }
  draft_.at(node.loc);
  const Entity array = unnamed_array("joined", length);
  std::int64_t next = 0;
  for (const Entity& part : parts) {
    if (part.kind == Entity::Kind::scalar) {
      const ValueId where = builder_.integer(next++);
      builder_.emit(Store{builder_.element(array.slice.base, {&where, 1}), part.value});
      continue;
    }
    copy_part(part, array, next);
    next += *builder_.program().constant(part.slice.size[0]);
  }
  return array;
}

// An array, to the elements of another one from `from` on.
void ArrayWords::copy_part(const Entity& part, const Entity& array, std::int64_t from) {
  const ValueId i = builder_.emit(For{builder_.integer(0), part.slice.size[0], 0}, "i");
  const ValueId to = builder_.add(i, builder_.integer(from));
  const ValueId value = builder_.emit(Load{builder_.element(part.slice.base, {&i, 1})});
  builder_.emit(Store{builder_.element(array.slice.base, {&to, 1}), value});
  builder_.emit(End{});
}

std::optional<Entity> ArrayWords::call(const ast::Call& node) {
  const std::string& word = node.function;
  const std::size_t count = node.arguments.size();
  if (word == "prefix_sum" && count == 1) return prefix_sum(node);
  if (word == "iota" && count == 1 && !node.arguments[0].as<ast::Index>()) return iota(node);
  if (word == "repeat" && count == 3) return repeat(node);
  return std::nullopt;
}

Entity ArrayWords::prefix_sum(const ast::Call& node) {
  const Entity source = expressions_.evaluate(node.arguments[0]);
  if (source.kind == Entity::Kind::nothing) return {};
  if (source.kind != Entity::Kind::view) return draft_.fail(node.loc, "prefix_sum takes an array");
  const Shape shape = static_shape(builder_.program(), source.slice);
  if (shape.size() != 1) return draft_.fail(node.loc, "prefix_sum takes a one-dimensional array");
  draft_.at(node.loc);
  const Entity array = unnamed_array("sums", shape[0] + 1);
  builder_.emit(PrefixSum{array.slice, source.slice});
  return array;
}

std::optional<Entity> ArrayWords::iota(const ast::Call& node) {
  const Entity argument = expressions_.evaluate(node.arguments[0]);
  if (argument.kind == Entity::Kind::view) return std::nullopt;  // the op itself
  const auto length = expressions_.constant(node.arguments[0], "the length of an array");
  if (!length) return Entity{};
  draft_.at(node.loc);
  const Entity array = unnamed_array("iota", *length);
  builder_.emit(Iota{array.slice});
  return array;
}

std::optional<Entity> ArrayWords::repeat(const ast::Call& node) {
  const Entity last = expressions_.evaluate(node.arguments[2]);
  if (last.kind == Entity::Kind::view) return std::nullopt;  // the op itself
  const auto length = expressions_.constant(node.arguments[2], "the length of an array");
  if (!length) return Entity{};
  draft_.at(node.loc);
  const Entity array = unnamed_array("repeat", *length);
  const auto operand = [&](const ast::Expression& argument) {
    return tiles_.operand(expressions_.evaluate(argument), argument.loc());
  };
  const auto values = operand(node.arguments[0]), counts = operand(node.arguments[1]);
  if (!values || !counts) return Entity{};
  builder_.emit(Repeat{array.slice, *values, *counts});
  return array;
}

Entity ArrayWords::define(const ast::Definition& node) {
  if (node.parameters.size() != 1)
    return draft_.fail(node.loc, "an array is defined over one index: name(i in n) = value");
  const auto& variable = std::get<ast::LoopVariable>(node.parameters[0]);
  const auto length = expressions_.constant(variable.range, "the length of an array");
  if (!length) return {};
  draft_.at(node.loc);
  const Entity array = new_array(node.name, *length);
  const ValueId i =
      builder_.emit(For{builder_.integer(0), builder_.integer(*length), 0}, variable.name);
  {
    const BlockScope inner(names_, scoped_);
    names_.set(variable.name, scalar_entity(i));
    const ValueId value = expressions_.scalar(node.value);
    if (value == no_value) {
      builder_.emit(End{});
      return {};
    }
    draft_.at(node.loc);
    builder_.emit(Store{builder_.element(array.slice.base, {&i, 1}), value});
  }
  builder_.emit(End{});
  return array;
}

}  // namespace tessera
