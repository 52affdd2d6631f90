// Words of the language that are no ops of their own: what each means is said here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/data/dtype_range.h"
#include "core/lang/elaborate.h"

namespace tessera {

Entity Elaborator::new_array(const std::string& name, std::int64_t length) {
  Buffer buffer;
  buffer.name = name;
  buffer.space = Space::smem;
  buffer.dtype = DType::i64;
  buffer.shape = {length};
  return {.kind = Entity::Kind::view, .slice = builder_.whole(builder_.buffer(std::move(buffer)))};
}

// concat(a, b, ...): scalars and arrays, one after the other.
Entity Elaborator::concat(const ast::Call& node) {
  std::vector<Entity> parts;
  std::int64_t length = 0;
  for (const ast::Expression& kid : node.arguments) {
    Entity part = evaluate(kid);
    if (part.kind == Entity::Kind::nothing) return {};
    if (part.kind == Entity::Kind::view) {
      const std::vector<int> dims = kept(part.slice);
      const auto size =
          dims.size() == 1
              ? builder_.program().constant(part.slice.size[static_cast<std::size_t>(dims[0])])
              : std::nullopt;
      if (!size)
        return fail(kid.loc(),
                    "concat takes numbers and one-dimensional arrays whose length is known when "
                    "the kernel is instantiated");
      part.slice = whole_ref(part.slice);
      length += *size;
    } else {
      if (scalar(part, kid.loc()) == no_value) return {};
      ++length;
    }
    parts.push_back(std::move(part));
  }
  at(node.loc);
  const Entity array = new_array("joined", length);
  std::int64_t next = 0;
  for (const Entity& part : parts) {
    if (part.kind == Entity::Kind::scalar) {
      const ValueId where = builder_.integer(next++);
      builder_.emit(Store{builder_.element(array.slice.base, {&where, 1}), part.value});
      continue;
    }
    const ValueId i = builder_.emit(For{builder_.integer(0), part.slice.size[0], 0}, "i");
    const ValueId from = i, to = builder_.add(i, builder_.integer(next));
    const ValueId value = builder_.emit(Load{builder_.element(part.slice.base, {&from, 1})});
    builder_.emit(Store{builder_.element(array.slice.base, {&to, 1}), value});
    builder_.emit(End{});
    next += *builder_.program().constant(part.slice.size[0]);
  }
  return array;
}

Entity Elaborator::barrier(const ast::Call& node) {
  if (node.arguments.size() != 1) return fail(node.loc, "barrier takes the collective id");
  const auto id = constant(node.arguments[0], "the collective id of a barrier");
  if (!id) return {};
  if (*id < 0)
    return fail(node.loc,
                fmt::format("the collective id of a barrier is at least 0, found {}", *id));
  auto& value = barriers_.try_emplace(*id, no_value).first->second;
  if (value == no_value) {
    Semaphore semaphore;
    semaphore.name = fmt::format("barrier_{}", *id);
    semaphore.kind = SemKind::barrier;
    semaphore.collective = *id;
    value = builder_.semaphore(std::move(semaphore));
  }
  return {.kind = Entity::Kind::sem, .slice = builder_.whole(value)};
}

namespace {

constexpr std::string_view own_words[] = {"concat",      "barrier", "first", "last",
                                          "accumulator", "clamp",   "abs",   "largest"};

}  // namespace

bool is_word(std::string_view name) {
  return std::find(std::begin(own_words), std::end(own_words), name) != std::end(own_words) ||
         make_op(name).index() != 0;
}

std::vector<std::string_view> words() {
  std::vector<std::string_view> all(std::begin(own_words), std::end(own_words));
  for (const OpInfo& row : op_table().subspan(1))
    if (row.scope == Scope::none && row.result != ResultKind::Ref) all.push_back(row.mnemonic);
  return all;
}

std::optional<Entity> Elaborator::call_builtin(const ast::Call& node, const Slice* to) {
  const std::string& word = node.function;
  const auto count = [&](std::size_t n) { return node.arguments.size() == n; };
  if (word == "cast") return cast(node, to);
  if (word == "concat") return concat(node);
  if (word == "real" && count(1)) {
    const Entity argument = evaluate(node.arguments[0]);
    if (const auto known = known_number(argument)) return real_entity(*known);
    const ValueId number = scalar(argument, node.arguments[0].loc());
    if (number == no_value) return Entity{};
    at(node.loc);
    return Entity{.kind = Entity::Kind::real, .value = builder_.emit(ToReal{number})};
  }
  if (word == "view" && count(1)) {
    const auto source = memory(node.arguments[0]);
    if (!source) return Entity{};
    at(node.loc);
    return Entity{.kind = Entity::Kind::view,
                  .slice = builder_.whole(builder_.emit(View{*source}, word))};
  }
  if (word == "barrier") return barrier(node);
  if ((word == "first" || word == "last") && count(1)) {
    const Entity index = evaluate(node.arguments[0]);
    const auto grid = index.kind == Entity::Kind::scalar ? grid_.find(index.value) : grid_.end();
    if (grid == grid_.end())
      return fail(
          node.loc,
          fmt::format("{} takes a grid dimension of a pipeline or the variable of a loop", word));
    at(node.loc);
    const auto [number, lower, upper] = grid->second;
    return scalar_entity(builder_.emit(
        Eq{number, word == "first" ? lower : builder_.sub(upper, builder_.integer(1))}, word));
  }
  if (word == "accumulator" && (count(1) || count(2))) {
    const auto type = accumulator_type(node);
    return type ? Entity{.kind = Entity::Kind::type, .type = *type} : Entity{};
  }
  if (word == "largest" && count(1)) {
    const auto type = dtype(node.arguments[0]);
    if (!type) return Entity{};
    const double number = largest_finite(*type);
    if (number >= 0x1p63)
      return fail(node.loc, fmt::format("the largest {} is no integer of 64 bits", name(*type)));
    return scalar_entity(builder_.integer(static_cast<std::int64_t>(number)));
  }
  if (word == "clamp" && count(3)) {
    const ValueId x = scalar(node.arguments[0]), low = scalar(node.arguments[1]),
                  high = scalar(node.arguments[2]);
    if (x == no_value || low == no_value || high == no_value) return Entity{};
    at(node.loc);
    return scalar_entity(builder_.min(builder_.max(x, low), high));
  }
  if (word == "abs" && count(1)) {
    const Entity argument = evaluate(node.arguments[0]);
    if (const auto number = known_number(argument); number && argument.kind == Entity::Kind::real)
      return real_entity(std::abs(*number));
    if (is_tile(argument)) {
      const Slice zero = Builder::number(builder_.integer(0));
      const Entity negative =
          tile_elementwise(op_index<TileSub>(), {zero, argument.slice}, node.loc, nullptr);
      return tile_elementwise(op_index<TileMax>(), {argument.slice, negative.slice}, node.loc, to);
    }
    const ValueId x = scalar(argument, node.arguments[0].loc());
    if (x == no_value) return Entity{};
    at(node.loc);
    return scalar_entity(builder_.max(x, builder_.sub(builder_.integer(0), x)));
  }
  if (auto array = array_word(node)) return array;
  return tile_word(node, to);
}

// Words that make an array of numbers.
std::optional<Entity> Elaborator::array_word(const ast::Call& node) {
  const std::string& word = node.function;
  const auto count = [&](std::size_t n) { return node.arguments.size() == n; };
  if (word == "prefix_sum" && count(1)) {
    const Entity source = evaluate(node.arguments[0]);
    if (source.kind != Entity::Kind::view)
      return source.kind == Entity::Kind::nothing ? Entity{}
                                                  : fail(node.loc, "prefix_sum takes an array");
    const Shape shape = static_shape(builder_.program(), source.slice);
    if (shape.size() != 1) return fail(node.loc, "prefix_sum takes a one-dimensional array");
    at(node.loc);
    const Entity array = new_array("sums", shape[0] + 1);
    builder_.emit(PrefixSum{array.slice, source.slice});
    return array;
  }
  if ((word == "iota" && count(1) && !node.arguments[0].as<ast::Index>()) ||
      (word == "repeat" && count(3))) {
    const bool repeats = word == "repeat";
    if (!repeats) {
      const Entity argument = evaluate(node.arguments[0]);
      if (argument.kind == Entity::Kind::view) return std::nullopt;  // the op itself
    }
    if (repeats) {
      const Entity last = evaluate(node.arguments[2]);
      if (last.kind == Entity::Kind::view) return std::nullopt;
    }
    const auto length = constant(node.arguments[repeats ? 2 : 0], "the length of an array");
    if (!length) return Entity{};
    at(node.loc);
    const Entity array = new_array(word, *length);
    if (!repeats) {
      builder_.emit(Iota{array.slice});
      return array;
    }
    const auto values = operand(evaluate(node.arguments[0]), node.arguments[0].loc()),
               counts = operand(evaluate(node.arguments[1]), node.arguments[1].loc());
    if (!values || !counts) return Entity{};
    builder_.emit(Repeat{array.slice, *values, *counts});
    return array;
  }
  return std::nullopt;
}

}  // namespace tessera
