// Calls: ops by their mnemonic, the words of the language, functions of the file and of the library
// (inlined).
#include <fmt/format.h>

#include <algorithm>

#include "core/elaborate.h"

namespace tessera {
namespace {

constexpr int max_call_depth = 64;  // functions cannot recurse: they are inlined
constexpr std::int64_t max_calls = 100'000;

}  // namespace

const Node* Elaborator::find_function(std::string_view name) const {
  for (const Node* f : functions_)
    if (f->text == name) return f;
  return nullptr;
}

Entity Elaborator::call(const Node& node, const Slice* to) {
  if (node.text.empty()) {  // a member of a function's results
    const Entity member = evaluate(node.kids[0]);
    if (member.kind == Entity::Kind::nothing) return {};
    if (member.kind != Entity::Kind::closure)
      return fail(node, fmt::format("{} cannot be called", describe(member)));
    return call_closure(member, node, 1);
  }
  if (const Entity* local = scope_->find(node.text)) {
    if (local->kind != Entity::Kind::closure)
      return fail(node, fmt::format("`{}` is {}, not a function", node.text, describe(*local)));
    return call_closure(Entity(*local), node, 0);
  }
  if (const Node* function = find_function(node.text)) return call_function(*function, node);
  if (auto result = call_builtin(node, to)) return *result;
  const Op prototype = make_op(node.text);
  if (prototype.index() == 0) return fail(node, fmt::format("unknown function `{}`", node.text));
  return call_op(prototype, node);
}

// mnemonic(field, field, ...) as the op table has them; missing flags are 0, and what may be left
// out is left out.
Entity Elaborator::call_op(const Op& prototype, const Node& node) {
  Op op = prototype;
  const OpInfo& row = info(op);
  if (row.scope != tessera::Scope::none || row.result == ResultKind::Ref)
    return fail(node, fmt::format("`{}` cannot be called", row.mnemonic));
  std::size_t required = row.fields.size();
  while (required > 0 && (row.fields[required - 1].kind == FieldKind::Int ||
                          row.fields[required - 1].kind == FieldKind::Maybe))
    --required;
  if (node.kids.size() < required || node.kids.size() > row.fields.size()) {
    std::string names;
    for (const FieldInfo& f : row.fields)
      names += (names.empty() ? "" : ", ") + std::string(f.name);
    return fail(
        node, fmt::format("{}({}) was given {} arguments", row.mnemonic, names, node.kids.size()));
  }
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const FieldInfo& f = row.fields[i];
    const Node& argument = node.kids[i];
    switch (f.kind) {
      case FieldKind::Value: {
        const ValueId value = scalar(argument);
        if (value == no_value) return {};
        field<ValueId>(op, f) = value;
        break;
      }
      case FieldKind::Maybe: {
        const ValueId value = scalar(argument);
        if (value == no_value) return {};
        field<Maybe>(op, f).id = value;
        break;
      }
      case FieldKind::Slice: {
        const Entity entity = place(argument);
        if (entity.kind == Entity::Kind::sem)
          field<Slice>(op, f) = entity.slice;
        else if (const auto s = operand(entity, argument))
          field<Slice>(op, f) = *s;
        else
          return {};
        break;
      }
      case FieldKind::Int: {
        const auto value = constant(argument, f.name);
        if (!value) return {};
        field<std::int64_t>(op, f) = *value;
        break;
      }
      case FieldKind::Text:
        if (argument.kind != NodeKind::text) return fail(argument, "expected a text in quotes");
        field<TextId>(op, f) = builder_.text(argument.text);
        break;
    }
  }
  at(node);
  const ValueId result = builder_.emit(std::move(op));
  if (row.result == ResultKind::Scalar) return scalar_entity(result);
  if (row.result == ResultKind::Real) return {.kind = Entity::Kind::real, .value = result};
  return {.kind = Entity::Kind::record, .environment = environment(nullptr)};  // done; no value
}

// A function of an index: its definition is evaluated anew where it was defined, with the arguments
// bound.
Entity Elaborator::call_closure(const Entity& closure, const Node& node, std::size_t first) {
  const Node& definition = *closure.definition;
  const std::size_t parameters = definition.kids.size() - 1;
  if (node.kids.size() - first != parameters)
    return fail(node, fmt::format("`{}` takes {} arguments, found {}", definition.text, parameters,
                                  node.kids.size() - first));
  if (++calls_ > max_calls)
    return fail(node, "the kernel makes more than 100000 calls; each is inlined");
  if (depth_ >= max_call_depth)
    return fail(node, "calls are nested too deeply; functions are inlined and cannot recurse");
  Environment* inner = environment(closure.environment);
  for (std::size_t i = 0; i < parameters; ++i) {
    const Entity argument = evaluate(node.kids[first + i]);
    if (argument.kind == Entity::Kind::nothing) return {};
    inner->names[definition.kids[i].text] = argument;
  }
  at(node);
  const auto caller = std::exchange(caller_, builder_.place());
  Environment* outer = std::exchange(scope_, inner);
  ++depth_;
  const Node& body = definition.kids.back();
  const Entity result = body.kind == NodeKind::range ? range(body) : evaluate(body);
  --depth_;
  scope_ = outer;
  caller_ = caller;
  return result;
}

Slice Elaborator::whole_ref(const Slice& slice) {
  if (is_whole(builder_.program(), slice)) return slice;
  return builder_.whole(builder_.emit(View{slice}, "view"));
}

// A scalar parameter takes a value; `name: f32[dims]` takes memory of that type and names its
// extents. A type that is no element type and not known yet is named as well: `a: T[m, k], b: T[k,
// n]` takes two matrices of one type, whichever.
bool Elaborator::bind_argument(const Node& parameter, const Node& argument, Environment* into) {
  const Entity value = evaluate(argument);
  if (value.kind == Entity::Kind::nothing) return false;
  if (parameter.kids.empty() || parameter.kids[0].kind != NodeKind::type) {
    into->names[parameter.text] = value;
    return true;
  }
  const Node& type = parameter.kids[0];
  if (value.kind != Entity::Kind::view) {
    fail(argument,
         fmt::format("parameter `{}` takes memory, found {}", parameter.text, describe(value)),
         ErrorCode::invalid_type);
    return false;
  }
  at(argument);
  const Slice whole = whole_ref(value.slice);
  const RefInfo ref = ref_info(builder_.program(), whole.base);
  const std::size_t dims = type.kids.size() - 1;
  if (ref.bound.size() != dims) {
    fail(argument, fmt::format("parameter `{}` has {} dimensions, the argument {}", parameter.text,
                               dims, ref.bound.size()));
    return false;
  }
  Environment* outer = std::exchange(scope_, into);
  bool ok = true;
  const Node& element = type.kids[0];
  if (element.kind == NodeKind::name && !scope_->find(element.text) && !parse_dtype(element.text))
    scope_->names[element.text] = {.kind = Entity::Kind::type, .type = ref.dtype};
  const auto wanted = dtype(element);
  ok = wanted.has_value();
  if (wanted && *wanted != ref.dtype) {
    fail(argument,
         fmt::format("parameter `{}` is of type {}, the argument of {}", parameter.text,
                     name(*wanted), name(ref.dtype)),
         ErrorCode::invalid_type);
    ok = false;
  }
  for (std::size_t d = 0; ok && d < dims; ++d) {
    const Node& dim = type.kids[d + 1];
    if (dim.kind == NodeKind::name && !scope_->find(dim.text)) {
      scope_->names[dim.text] = scalar_entity(whole.size[d]);
      continue;
    }
    const ValueId expected = scalar(dim);
    const auto a = builder_.program().constant(expected),
               b = builder_.program().constant(whole.size[d]);
    if (expected == no_value || (a && b && *a != *b)) {
      if (expected != no_value)
        fail(argument, fmt::format("dimension {} of `{}` is {}, the argument's {}", d,
                                   parameter.text, *a, *b));
      ok = false;
    }
  }
  scope_ = outer;
  into->names[parameter.text] = {.kind = Entity::Kind::view, .slice = whole};
  return ok;
}

Entity Elaborator::call_function(const Node& function, const Node& node) {
  if (++calls_ > max_calls)
    return fail(node, "the kernel makes more than 100000 calls; each is inlined");
  if (depth_ >= max_call_depth)
    return fail(node, "calls are nested too deeply; functions are inlined and cannot recurse");
  const Node& parameters = function.kids[0];
  Environment* inner = environment(nullptr);
  std::vector<const Node*> given(parameters.kids.size(), nullptr);
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const Node& argument = node.kids[i];
    std::size_t p = i;
    if (argument.kind == NodeKind::named_argument) {
      p = 0;
      while (p < parameters.kids.size() && parameters.kids[p].text != argument.text) ++p;
      if (p == parameters.kids.size())
        return fail(argument, fmt::format("function `{}` has no parameter `{}`", function.text,
                                          argument.text));
    }
    if (p >= given.size())
      return fail(node, fmt::format("function `{}` takes {} arguments, found {}", function.text,
                                    given.size(), node.kids.size()));
    if (given[p])
      return fail(argument, fmt::format("parameter `{}` is given twice", parameters.kids[p].text));
    given[p] = argument.kind == NodeKind::named_argument ? &argument.kids[0] : &argument;
  }
  // Memory first: it names the extents that defaults and declarations may use.
  for (std::size_t p = 0; p < given.size(); ++p)
    if (given[p] && !bind_argument(parameters.kids[p], *given[p], inner)) return {};
  at(node);
  const auto caller = std::exchange(caller_, builder_.place());
  Environment* outer = std::exchange(scope_, inner);
  ++depth_;
  Entity result{.kind = Entity::Kind::record, .environment = environment(nullptr)};
  bool ok = true;
  for (std::size_t p = 0; p < given.size() && ok; ++p) {
    if (given[p]) continue;
    const Node& parameter = parameters.kids[p];
    if (parameter.kids.empty() || parameter.kids[0].kind == NodeKind::type) {
      ok = false;
      scope_ = outer;
      caller_ = caller;
      fail(node,
           fmt::format("function `{}` needs its parameter `{}`", function.text, parameter.text));
    } else {
      const Entity value = evaluate(parameter.kids[0]);
      ok = value.kind != Entity::Kind::nothing;
      inner->names[parameter.text] = value;
    }
  }
  if (ok) {
    const std::size_t scoped = scoped_.size();
    declare_all(function.kids[1], true);
    const Node& body = function.kids[2];
    if (body.kind == NodeKind::block) {
      const Entity saved = std::exchange(result_, result);
      block(body);
      result = std::exchange(result_, saved);
    } else {
      result = body.kind == NodeKind::range ? range(body) : evaluate(body);
    }
    free_scoped(scoped);
  }
  --depth_;
  scope_ = outer;
  caller_ = caller;
  return ok ? result : Entity{};
}

Entity Elaborator::new_array(const std::string& name, std::int64_t length) {
  Buffer buffer;
  buffer.name = name;
  buffer.space = Space::smem;
  buffer.dtype = DType::i64;
  buffer.shape = {length};
  return {.kind = Entity::Kind::view, .slice = builder_.whole(builder_.buffer(std::move(buffer)))};
}

// concat(a, b, ...): scalars and arrays, one after the other.
Entity Elaborator::concat(const Node& node) {
  std::vector<Entity> parts;
  std::int64_t length = 0;
  for (const Node& kid : node.kids) {
    Entity part = evaluate(kid);
    if (part.kind == Entity::Kind::nothing) return {};
    if (part.kind == Entity::Kind::view) {
      const std::vector<int> dims = kept(part.slice);
      const auto size =
          dims.size() == 1
              ? builder_.program().constant(part.slice.size[static_cast<std::size_t>(dims[0])])
              : std::nullopt;
      if (!size)
        return fail(kid,
                    "concat takes numbers and one-dimensional arrays whose length is known when "
                    "the kernel is instantiated");
      part.slice = whole_ref(part.slice);
      length += *size;
    } else {
      if (scalar(part, kid) == no_value) return {};
      ++length;
    }
    parts.push_back(std::move(part));
  }
  at(node);
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

Entity Elaborator::barrier(const Node& node) {
  if (node.kids.size() != 1) return fail(node, "barrier takes the collective id");
  const auto id = constant(node.kids[0], "the collective id of a barrier");
  if (!id) return {};
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

// The words that are no ops of their own: what they mean is said at each.
std::optional<Entity> Elaborator::call_builtin(const Node& node, const Slice* to) {
  const std::string& word = node.text;
  const auto count = [&](std::size_t n) { return node.kids.size() == n; };
  if (word == "cast") return cast(node, to);
  if (word == "concat") return concat(node);
  if (word == "view" && count(1)) {
    const auto source = memory(node.kids[0]);
    if (!source) return Entity{};
    at(node);
    return Entity{.kind = Entity::Kind::view,
                  .slice = builder_.whole(builder_.emit(View{*source}, word))};
  }
  if (word == "barrier") return barrier(node);
  if ((word == "first" || word == "last") && count(1)) {
    const Entity index = evaluate(node.kids[0]);
    const auto grid = index.kind == Entity::Kind::scalar ? grid_.find(index.value) : grid_.end();
    if (grid == grid_.end())
      return fail(
          node,
          fmt::format("{} takes a grid dimension of a pipeline or the variable of a loop", word));
    at(node);
    const auto [lower, upper] = grid->second;
    return scalar_entity(builder_.emit(
        Eq{index.value, word == "first" ? lower : builder_.sub(upper, builder_.integer(1))}, word));
  }
  if (word == "accumulator" && count(1)) {
    const auto type = dtype(node);
    return type ? Entity{.kind = Entity::Kind::type, .type = *type} : Entity{};
  }
  if (word == "clamp" && count(3)) {
    const ValueId x = scalar(node.kids[0]), low = scalar(node.kids[1]), high = scalar(node.kids[2]);
    if (x == no_value || low == no_value || high == no_value) return Entity{};
    at(node);
    return scalar_entity(builder_.min(builder_.max(x, low), high));
  }
  if (word == "abs" && count(1)) {
    const ValueId x = scalar(node.kids[0]);
    if (x == no_value) return Entity{};
    at(node);
    return scalar_entity(builder_.max(x, builder_.sub(builder_.integer(0), x)));
  }
  if (word == "prefix_sum" && count(1)) {
    const Entity source = evaluate(node.kids[0]);
    if (source.kind != Entity::Kind::view)
      return source.kind == Entity::Kind::nothing ? Entity{}
                                                  : fail(node, "prefix_sum takes an array");
    const Shape shape = static_shape(builder_.program(), source.slice);
    if (shape.size() != 1) return fail(node, "prefix_sum takes a one-dimensional array");
    at(node);
    const Entity array = new_array("sums", shape[0] + 1);
    builder_.emit(PrefixSum{array.slice, source.slice});
    return array;
  }
  if ((word == "iota" && count(1) && node.kids[0].kind != NodeKind::index) ||
      (word == "repeat" && count(3))) {
    const bool repeats = word == "repeat";
    if (!repeats) {
      const Entity argument = evaluate(node.kids[0]);
      if (argument.kind == Entity::Kind::view) return std::nullopt;  // the op itself
    }
    if (repeats) {
      const Entity last = evaluate(node.kids[2]);
      if (last.kind == Entity::Kind::view) return std::nullopt;
    }
    const auto length = constant(node.kids[repeats ? 2 : 0], "the length of an array");
    if (!length) return Entity{};
    at(node);
    const Entity array = new_array(word, *length);
    if (!repeats) {
      builder_.emit(Iota{array.slice});
      return array;
    }
    const auto values = operand(evaluate(node.kids[0]), node.kids[0]),
               counts = operand(evaluate(node.kids[1]), node.kids[1]);
    if (!values || !counts) return Entity{};
    builder_.emit(Repeat{array.slice, *values, *counts});
    return array;
  }
  // Tile functions: select, min and max of scalars are ops of that name; of tiles they are the tile
  // ops.
  const auto tile_word = [&](std::string_view name, std::size_t op,
                             std::size_t arity) -> std::optional<Entity> {
    if (word != name || !count(arity)) return std::nullopt;
    std::vector<Entity> arguments;
    bool tiles = false;
    for (const Node& kid : node.kids) {
      arguments.push_back(evaluate(kid));
      if (arguments.back().kind == Entity::Kind::nothing) return Entity{};
      tiles |= is_tile(arguments.back());
    }
    if (!tiles) {
      if (arity == 1) return fail(node, fmt::format("{} takes a tile", word));
      Op scalar_op = make_op(word);
      for (std::size_t i = 0; i < arity; ++i) {
        const ValueId value = scalar(arguments[i], node.kids[i]);
        if (value == no_value) return Entity{};
        field<ValueId>(scalar_op, info(scalar_op).fields[i]) = value;
      }
      at(node);
      return scalar_entity(builder_.emit(std::move(scalar_op)));
    }
    std::vector<Slice> operands;
    for (std::size_t i = 0; i < arity; ++i) {
      const auto s = operand(arguments[i], node.kids[i]);
      if (!s) return Entity{};
      operands.push_back(*s);
    }
    return tile_elementwise(op, std::move(operands), node, to);
  };
  if (word == "scaled" && count(2)) {
    // The shape is that of the data; the scale's says how large the blocks are.
    const auto source = operand(tile(node.kids[0], nullptr), node.kids[0]),
               scale = operand(tile(node.kids[1], nullptr), node.kids[1]);
    if (!source || !scale) return Entity{};
    const Program& program = builder_.program();
    if (is_number(program, *source) || is_number(program, *scale))
      return fail(node, "scaled takes a tile and the tile of its scales");
    std::vector<ValueId> size;
    for (const int d : kept(*source)) size.push_back(source->size[static_cast<std::size_t>(d)]);
    const Slice target = to ? *to : temporary(DType::f32, static_shape(program, *source), size);
    at(node);
    builder_.emit(Scaled{target, *source, *scale});
    return Entity{.kind = Entity::Kind::view, .slice = target};
  }
  if (auto r = tile_word("min", op_index<TileMin>(), 2)) return r;
  if (auto r = tile_word("max", op_index<TileMax>(), 2)) return r;
  if (auto r = tile_word("select", op_index<TileSelect>(), 3)) return r;
  // Ops that change the shape.
  const auto reshaping = [&](std::string_view name, auto shape_of) -> std::optional<Entity> {
    if (word != name || !count(1)) return std::nullopt;
    const auto source = operand(evaluate(node.kids[0]), node.kids[0]);
    if (!source) return Entity{};
    const Shape shape = static_shape(builder_.program(), *source);
    if (shape.size() != 2)
      return fail(node, fmt::format("{} takes a matrix, found shape {}", word, to_string(shape)));
    const std::vector<int> dims = kept(*source);
    const ValueId rows = source->size[static_cast<std::size_t>(dims[0])],
                  cols = source->size[static_cast<std::size_t>(dims[1])];
    const auto [bound, size] = shape_of(shape, rows, cols);
    at(node);
    const DType type = ref_info(builder_.program(), source->base).dtype;
    const bool keeps_type = name == "transpose" || is_integer(type);
    const Slice target = to ? *to : temporary(keeps_type ? type : DType::f32, bound, size);
    Op op = make_op(word);
    field<Slice>(op, info(op).fields[0]) = target;
    field<Slice>(op, info(op).fields[1]) = *source;
    builder_.emit(std::move(op));
    return Entity{.kind = Entity::Kind::view, .slice = target};
  };
  const ValueId one = builder_.integer(1);
  using Sizes = std::vector<ValueId>;
  const auto per_row = [&](const Shape& s, ValueId rows, ValueId) {
    return std::pair(Shape{s[0], 1}, Sizes{rows, one});
  };
  const auto per_col = [&](const Shape& s, ValueId, ValueId cols) {
    return std::pair(Shape{1, s[1]}, Sizes{one, cols});
  };
  const auto swapped = [&](const Shape& s, ValueId rows, ValueId cols) {
    return std::pair(Shape{s[1], s[0]}, Sizes{cols, rows});
  };
  if (auto r = reshaping("transpose", swapped)) return r;
  if (auto r = reshaping("row_sum", per_row)) return r;
  if (auto r = reshaping("row_max", per_row)) return r;
  if (auto r = reshaping("col_sum", per_col)) return r;
  if (auto r = reshaping("col_max", per_col)) return r;
  // What is left of the table with one source is elementwise: exp, erf, ...
  const Op op = make_op(word);
  const auto fields = info(op).fields;
  const bool maps = fields.size() == 2 && fields[0].name == "dst" && fields[1].name == "src" &&
                    fields[1].kind == FieldKind::Slice;
  return maps ? tile_word(word, op.index(), 1) : std::nullopt;
}

}  // namespace tessera
