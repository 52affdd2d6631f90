// Tile arithmetic: every expression becomes ops that write a rectangle, the last one the target
// itself.
#include <fmt/format.h>

#include <algorithm>

#include "core/data/element.h"
#include "core/lang/elaborate.h"
#include "core/lang/operators.h"

namespace tessera {
namespace {

// Whether the integer type has this number.
bool holds(DType dtype, std::int64_t number) {
  switch (dtype) {
    case DType::i8:
      return number == element::to_integer<std::int8_t>(number);
    case DType::i32:
      return number == element::to_integer<std::int32_t>(number);
    case DType::u32:
      return number == element::to_integer<std::uint32_t>(number);
    default:
      return true;
  }
}

bool compares(std::size_t op) {
  return op == op_index<TileLt>() || op == op_index<TileLe>() || op == op_index<TileEq>();
}

Op prototype(std::size_t index) { return make_op(op_table()[index].mnemonic); }

}  // namespace

bool Elaborator::is_tile(const Entity& entity) const { return entity.kind == Entity::Kind::view; }

std::optional<Slice> Elaborator::operand(const Entity& entity, const Loc& loc) {
  if (entity.kind == Entity::Kind::scalar || entity.kind == Entity::Kind::real)
    return Builder::number(entity.value);
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind != Entity::Kind::nothing)
    fail(loc, fmt::format("expected a tile or a number, found {}", describe(entity)),
         ErrorCode::invalid_type);
  return std::nullopt;
}

Slice Elaborator::temporary(DType dtype, const Shape& bound, const std::vector<ValueId>& size) {
  Buffer buffer;
  buffer.name = "t";
  buffer.space = Space::tile;
  buffer.dtype = dtype;
  buffer.shape = bound;
  Slice slice = builder_.whole(builder_.buffer(std::move(buffer)));
  for (std::size_t d = 0; d < size.size(); ++d) slice.size[d] = size[d];
  return slice;
}

// The elementwise op `index` of the operands (numbers broadcast), into `to` or into a temporary of
// f32 or i32.
Entity Elaborator::tile_elementwise(std::size_t index, std::vector<Slice> operands, const Loc& loc,
                                    const Slice* to) {
  at(loc);
  const Program& program = builder_.program();
  bool any_float = false, any_wide = false;
  Shape bound;
  std::vector<ValueId> size;
  for (const Slice& s : operands) {
    if (is_number(program, s)) {
      any_float |= program.value(s.base).kind == ValueKind::real;
      continue;
    }
    const DType type = ref_info(program, s.base).dtype;
    any_float |= is_float(type);
    any_wide |= type == DType::i64;
    const Shape shape = static_shape(program, s);
    const std::vector<int> dims = kept(s);
    // Broadcasting is from the right: the longer shape decides the rank, a size other than 1 the
    // extent.
    if (shape.size() > bound.size()) {
      bound.insert(bound.begin(), shape.size() - bound.size(), 1);
      size.insert(size.begin(), shape.size() - size.size(), builder_.integer(1));
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::size_t at_dim = bound.size() - shape.size() + d;
      if (shape[d] == 1 && bound[at_dim] != 1) continue;
      if (bound[at_dim] != 1 && bound[at_dim] != shape[d])
        return fail(
            loc, fmt::format("shapes {} and {} do not agree", to_string(bound), to_string(shape)));
      bound[at_dim] = shape[d];
      size[at_dim] = s.size[static_cast<std::size_t>(dims[d])];
    }
  }
  const bool floats = any_float && !compares(index);
  Slice target = to ? *to
                    : temporary(floats     ? DType::f32
                                : any_wide ? DType::i64
                                           : DType::i32,
                                bound, size);
  Op op = prototype(index);
  const auto& fields = info(op).fields;
  field<Slice>(op, fields[0]) = target;
  for (std::size_t i = 0; i < operands.size(); ++i) field<Slice>(op, fields[i + 1]) = operands[i];
  builder_.emit(std::move(op));
  return {.kind = Entity::Kind::view, .slice = target};
}

// An operator with a tile or a real on one side.
Entity Elaborator::tile_binary(const ast::Binary& node, const Entity& left, const Entity& right,
                               const Slice* to) {
  const std::size_t op = tile_op(node.op);
  if (op == 0) return fail(node.loc, fmt::format("`{}` is not defined for tiles", name(node.op)));
  const auto a = operand(left, node.left->loc()), b = operand(right, node.right->loc());
  if (!a || !b) return {};
  const bool swap = node.op == ast::Operator::greater || node.op == ast::Operator::greater_equal;
  if (is_number(builder_.program(), *a) && is_number(builder_.program(), *b))
    return fail(node.loc,
                "arithmetic on real numbers needs a tile operand, or numbers that are known when "
                "the kernel is instantiated");
  if (node.op == ast::Operator::not_equal) {  // 1 - (a == b): nothing equals a NaN
    const Entity equal = tile_elementwise(op, {*a, *b}, node.loc, nullptr);
    if (!is_tile(equal)) return {};
    const Slice one = Builder::number(builder_.integer(1));
    return tile_elementwise(op_index<TileSub>(), {one, equal.slice}, node.loc, to);
  }
  return tile_elementwise(op, swap ? std::vector<Slice>{*b, *a} : std::vector<Slice>{*a, *b},
                          node.loc, to);
}

// An expression over tiles. With `to`, the last op of a tile writes there and rounds to its type; a
// number is not written.
Entity Elaborator::tile(const ast::Expression& node, const Slice* to) {
  if (const auto* binary_node = node.as<ast::Binary>()) return binary(*binary_node, to);
  if (const auto* call_node = node.as<ast::Call>()) return call(*call_node, to);
  if (const auto* call_node = node.as<ast::MemberCall>()) return call(*call_node);
  return evaluate(node);
}

// cast(x): x rounded to the type of what it is stored to; cast(x, T): a temporary of type T.
Entity Elaborator::cast(const ast::Call& call, const Slice* to) {
  if (call.arguments.empty() || call.arguments.size() > 2)
    return fail(call.loc, "cast takes a tile, and a type when it is not stored at once");
  const ast::Expression& inner = call.arguments[0];
  const auto* binary = inner.as<ast::Binary>();
  const bool computed = binary != nullptr && binary->op != ast::Operator::product;
  if (call.arguments.size() == 1) {
    if (!to) return fail(call.loc, "cast needs a type here: cast(x, bf16)");
    const Entity value = tile(inner, computed ? to : nullptr);
    if (computed && is_tile(value)) return value;
    const auto source = operand(value, inner.loc());
    if (!source) return {};
    at(call.loc);
    builder_.emit(Cast{*to, *source});
    return {.kind = Entity::Kind::view, .slice = *to};
  }
  const auto type = dtype(call.arguments[1]);
  const auto source = operand(tile(inner, nullptr), inner.loc());
  if (!type || !source) return {};
  std::vector<ValueId> size;
  for (int d : kept(*source)) size.push_back(source->size[static_cast<std::size_t>(d)]);
  const Slice target = temporary(*type, static_shape(builder_.program(), *source), size);
  at(call.loc);
  builder_.emit(Cast{target, *source});
  return {.kind = Entity::Kind::view, .slice = target};
}

// A side of a matrix product, evaluated once; `transpose(x)` is read in place.
struct Elaborator::Factor {
  Slice slice;
  bool is_transposed;
};

std::optional<Elaborator::Factor> Elaborator::factor(const ast::Expression& node) {
  const ast::Call* transposed = call_of(node, "transpose", 1);
  const ast::Expression& inner = transposed != nullptr ? transposed->arguments[0] : node;
  const auto slice = operand(tile(inner, nullptr), inner.loc());
  if (!slice) return std::nullopt;
  if (is_number(builder_.program(), *slice))
    return fail(inner.loc(), "a matrix product needs tiles on both sides"), std::nullopt;
  return Factor{*slice, transposed != nullptr};
}

void Elaborator::multiply_add(const Slice& acc, const ast::Binary& product) {
  const auto a = factor(*product.left), b = factor(*product.right);
  if (!a || !b) return;
  at(product.loc);
  builder_.emit(Matmul{acc, a->slice, b->slice, a->is_transposed, b->is_transposed});
}

// A product that is not added to anything: an accumulator of its own, zero first.
Entity Elaborator::tile_matmul(const ast::Binary& node) {
  const auto a = factor(*node.left), b = factor(*node.right);
  if (!a || !b) return {};
  Shape bound;
  std::vector<ValueId> size;
  const auto add_extent = [&](const Factor& side, std::size_t dim, const Loc& loc) {
    const Shape shape = static_shape(builder_.program(), side.slice);
    if (shape.size() != 2)
      return fail(loc,
                  fmt::format("a matrix product needs matrices, found shape {}", to_string(shape))),
             false;
    const std::size_t d = side.is_transposed ? 1 - dim : dim;
    bound.push_back(shape[d]);
    size.push_back(side.slice.size[static_cast<std::size_t>(kept(side.slice)[d])]);
    return true;
  };
  if (!add_extent(*a, 0, node.left->loc()) || !add_extent(*b, 1, node.right->loc())) return {};
  const DType type = accumulator(ref_info(builder_.program(), a->slice.base).dtype);
  const Slice target = temporary(type, bound, size);
  at(node.loc);
  builder_.emit(Cast{target, Builder::number(builder_.integer(0))});
  builder_.emit(Matmul{target, a->slice, b->slice, a->is_transposed, b->is_transposed});
  return {.kind = Entity::Kind::view, .slice = target};
}

// target = value. A tile's type must be the target's unless the value is a cast.
bool Elaborator::store(const Slice& target, const ast::Expression& value, const Loc& loc) {
  const RefInfo ref = ref_info(builder_.program(), target.base);
  if (ref.space == Space::smem) return store_number(target, value, loc);
  if (const ast::Call* indices = call_of(value, "tile_iota", 1))
    return call(*indices, &target).kind != Entity::Kind::nothing;
  const auto* call = value.as<ast::Call>();
  const bool is_cast = call != nullptr && call->function == "cast";
  const std::size_t before = builder_.program().body.size();
  const Entity result = is_cast ? cast(*call, &target) : tile(value, nullptr);
  if (result.kind == Entity::Kind::nothing) return false;
  if (is_cast && call->arguments.size() == 1) return true;
  const auto source = operand(result, value.loc());
  if (!source) return false;
  if (!is_number(builder_.program(), *source)) {
    const DType type = ref_info(builder_.program(), source->base).dtype;
    if (type != ref.dtype)
      return fail(loc,
                  fmt::format(
                      "a tile of {} is stored to {}; write cast(...) if it should be rounded",
                      name(type), name(ref.dtype)),
                  ErrorCode::invalid_type),
             false;
    if (builder_.program().body.size() > before && redirect(*source, target)) return true;
  }
  if (const auto number = builder_.program().constant(source->base);
      number && is_integer(ref.dtype) && !holds(ref.dtype, *number))
    return fail(loc, fmt::format("{} does not fit {}", *number, name(ref.dtype))), false;
  at(loc);
  builder_.emit(Cast{target, *source});
  return true;
}

// To scalar memory.
bool Elaborator::store_number(const Slice& target, const ast::Expression& value, const Loc& loc) {
  const ValueId number = scalar(value);
  if (number == no_value) return false;
  if (!kept(target).empty())
    return fail(loc, "expected one element of scalar memory on the left"), false;
  at(loc);
  builder_.emit(Store{target, number});
  return true;
}

// The last op computed the temporary `source`, and may as well write the target; false when it did
// not.
bool Elaborator::redirect(const Slice& source, const Slice& target) {
  Program& program = builder_.program();
  Op& last = program.body.back().op;
  const auto& fields = info(last).fields;
  const Buffer* temp = program.buffer(source.base);
  if (!temp || temp->space != Space::tile || fields.empty() || fields[0].kind != FieldKind::Slice ||
      last.index() == op_index<Matmul>() || field<Slice>(last, fields[0]) != source ||
      &program.buffers.back() != temp || !is_whole(program, source))
    return false;
  field<Slice>(last, fields[0]) = target;
  program.buffers.pop_back();
  program.values[static_cast<std::size_t>(source.base)].index = -1;
  return true;
}

}  // namespace tessera
