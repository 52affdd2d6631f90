#include "core/lang/assignment_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/data/element.h"
#include "core/lang/expressions.h"
#include "core/lang/operators.h"
#include "core/lang/place_lowering.h"
#include "core/lang/product_lowering.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/value_type.h"
#include "core/program/broadcast.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"

namespace tessera {
namespace {

// Whether the integer type has this number.
bool holds(DType dtype, std::int64_t number) {
  bool result = true;
  element::with_dtype(dtype, [&](auto type) {
    using Stored = element::Stored<type()>;
    if constexpr (std::is_integral_v<decltype(element::value_of<type()>({}))>)
      result = number == element::to_integer<Stored>(number);
  });
  return result;
}

}  // namespace

AssignmentLowering::AssignmentLowering(Draft& draft, Expressions& expressions,
                                       PlaceLowering& places, TileLowering& tiles,
                                       ProductLowering& products)
    : draft_(draft),
      builder_(draft.builder()),
      expressions_(expressions),
      places_(places),
      tiles_(tiles),
      products_(products) {}

// All is read before anything is written.
void AssignmentLowering::lower(const ast::Opaque& node) {
  std::vector<Slice> sources, destinations;
  bool is_whole = true;
  for (const ast::Expression& each : node.sources) {
    const auto source = opaque_source(each);
    is_whole &= source.has_value();
    if (source) sources.push_back(*source);
  }
  for (const ast::Expression& each : node.destinations) {
    const auto destination = places_.memory(each);
    is_whole &= destination.has_value();
    if (destination) destinations.push_back(*destination);
  }
  if (!is_whole) return;
  draft_.at(node.loc);
  for (const Slice& source : sources) builder_.emit(OpaqueRead{source});
  for (const Slice& destination : destinations) builder_.emit(OpaqueWrite{destination});
}

// Memory, one number of scalar memory too, or a number.
std::optional<Slice> AssignmentLowering::opaque_source(const ast::Expression& node) {
  const Entity entity = places_.place(node);
  if (entity.kind == Entity::Kind::nothing) return std::nullopt;
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind == Entity::Kind::scalar || entity.kind == Entity::Kind::real)
    return Builder::number(entity.value);
  draft_.fail(node.loc(),
              fmt::format("expected memory or a number, found {}", draft_.describe(entity)),
              ErrorCode::invalid_type);
  return std::nullopt;
}

void AssignmentLowering::lower(const ast::Assignment& node) {
  const Entity target = places_.place(node.target);
  if (target.kind == Entity::Kind::nothing) return;
  if (target.kind != Entity::Kind::view) {
    draft_.fail(node.target.loc(),
                fmt::format("{} cannot be assigned to", draft_.describe(target)));
    return;
  }
  if (!node.op) {
    store(target.slice, node.value, node.loc);
    return;
  }
  const auto* product = node.value.as<ast::Binary>();
  if (node.op == ast::Operator::add && product != nullptr && product->op == ast::Operator::product)
    return products_.multiply_add(target.slice, *product);
  if (ref_info(builder_.program(), target.slice.base).space == Space::smem)
    update_number(target.slice, node);
  else
    update_tile(target.slice, node);
}

void AssignmentLowering::update_number(const Slice& slice, const ast::Assignment& node) {
  const Entity old = places_.load(slice);
  if (old.kind != Entity::Kind::scalar) {
    draft_.fail(
        node.target.loc(),
        fmt::format("scalar code reads smem of {} but cannot store to it; it stores integers only",
                    name(ref_info(builder_.program(), slice.base).dtype)),
        ErrorCode::invalid_type);
    return;
  }
  const ValueId other = expressions_.scalar(node.value);
  if (other == no_value) return;
  draft_.at(node.loc);
  builder_.emit(Store{slice, builder_.emit(scalar_op(*node.op, old.value, other))});
}

void AssignmentLowering::update_tile(const Slice& slice, const ast::Assignment& node) {
  const Entity old{.kind = Entity::Kind::view, .slice = slice},
      other = expressions_.evaluate_into(node.value, nullptr);
  const Entity result = tiles_.elementwise(
      tile_op(*node.op), {{old, node.target.loc()}, {other, node.value.loc()}}, node.loc, &slice);
  if (result.kind != Entity::Kind::view) return;
  const Program& program = builder_.program();
  const DType type = value_type(program, program.body.back().op),
              to = ref_info(program, slice.base).dtype;
  if (type == to) return;
  const std::string_view sign = name(*node.op);
  draft_.fail(
      node.loc,
      fmt::format("`{0}=` stores a tile of {1} to {2}; write x = cast(x {0} v) for x {0}= v "
                  "if it should be rounded",
                  sign, name(type), name(to)),
      ErrorCode::invalid_type);
}

void AssignmentLowering::store(const Slice& target, const ast::Expression& value, const Loc& loc) {
  const bool is_number = ref_info(builder_.program(), target.base).space == Space::smem;
  if (is_number) return store_number(target, value, loc);
  if (call_of(value, "tile_iota", 1) != nullptr) {
    expressions_.evaluate_into(value, &target);
    return;
  }
  const auto* call = value.as<ast::Call>();
  const bool cuts = call != nullptr && call->function == "truncate";
  const bool is_cast = call != nullptr && (cuts || call->function == "cast");
  const std::size_t before = builder_.program().body.size();
  const Entity result = cuts      ? tiles_.truncate(*call, &target)
                        : is_cast ? tiles_.cast(*call, &target)
                                  : expressions_.evaluate_into(value, nullptr);
  if (is_cast && call->arguments.size() == 1) return;
  const auto source = tiles_.operand_of_store(result, value.loc(), target);
  if (source && tiles_.fits({*source, value.loc()}, target))
    store_tile(target, *source, loc, before);
}

// A tile or a number everywhere. before: how many statements there were without the source.
void AssignmentLowering::store_tile(const Slice& target, const Slice& source, const Loc& loc,
                                    std::size_t before) {
  const DType to = ref_info(builder_.program(), target.base).dtype;
  if (!is_number(builder_.program(), source)) {
    const DType type = ref_info(builder_.program(), source.base).dtype;
    if (type != to) {
      draft_.fail(
          loc,
          fmt::format("a tile of {} is stored to {}; write cast(...) if it should be rounded",
                      name(type), name(to)),
          ErrorCode::invalid_type);
      return;
    }
    if (builder_.program().body.size() > before && redirect(source, target)) return;
  }
  const auto number = builder_.program().constant(source.base);
  if (number && is_integer(to) && !holds(to, *number)) {
    draft_.fail(loc, fmt::format("{} does not fit {}", *number, name(to)));
    return;
  }
  draft_.at(loc);
  builder_.emit(Cast{target, source});
}

void AssignmentLowering::store_number(const Slice& target, const ast::Expression& value,
                                      const Loc& loc) {
  const ValueId number = expressions_.scalar(value);
  if (number == no_value) return;
  if (!kept(target).empty()) {
    draft_.fail(loc, "expected one element of scalar memory on the left");
    return;
  }
  draft_.at(loc);
  builder_.emit(Store{target, number});
}

// Sizes that are the same number, so that nothing is repeated.
bool same_sizes(const Program& program, const Slice& a, const Slice& b) {
  const std::vector<int> x = kept(a), y = kept(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](int i, int j) {
    const ValueId m = a.size[static_cast<std::size_t>(i)], n = b.size[static_cast<std::size_t>(j)];
    return m == n || (program.constant(m) && program.constant(m) == program.constant(n));
  });
}

// The last op computed the temporary `source`, and may as well write the target; false when it did
// not. An op that repeats nothing keeps a temporary of another shape.
bool AssignmentLowering::redirect(const Slice& source, const Slice& target) {
  Program& program = builder_.program();
  Op& last = program.body.back().op;
  const auto& fields = info(last).fields;
  const Buffer* temp = program.buffer(source.base);
  if (!temp || temp->space != Space::tile || fields.empty() || fields[0].kind != FieldKind::Slice ||
      last.index() == op_index<Matmul>() || field<Slice>(last, fields[0]) != source ||
      &program.buffers.back() != temp || !is_whole(program, source) ||
      ((reshape_of(last) != Reshape::none || std::holds_alternative<Scaled>(last)) &&
       !same_sizes(program, source, target)))
    return false;
  field<Slice>(last, fields[0]) = target;
  program.buffers.pop_back();
  program.values[source.base].buffer = {};
  return true;
}

}  // namespace tessera
