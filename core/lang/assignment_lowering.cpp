#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/data/element.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/operators.h"
#include "core/lang/place_lowering.h"
#include "core/lang/statement_lowering.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/value_type.h"
#include "core/program/broadcast.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"

namespace tessera {
namespace {

// True if the integer type can represent this number.
bool holds(DType dtype, std::int64_t number) {
  bool result = true;
  element::with_dtype(dtype, [&](auto type) {
    using Stored = element::Stored<type()>;
    if constexpr (std::is_integral_v<decltype(element::value_of<type()>({}))>)
      result = number == element::to_integer<Stored>(number);
  });
  return result;
}

// Returns memory, including one number of scalar memory, or a number.
std::optional<Slice> opaque_source(Elaboration& e, const ast::Expression& node) {
  const Entity entity = place(e, node);
  if (entity.kind == Entity::Kind::nothing) return std::nullopt;
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind == Entity::Kind::scalar || entity.kind == Entity::Kind::real)
    return Builder::number(entity.value);
  e.fail(node.loc(), fmt::format("expected memory or a number, found {}", e.describe(entity)),
         ErrorCode::invalid_type);
  return std::nullopt;
}

void update_number(Elaboration& e, const Slice& slice, const ast::Assignment& node) {
  const Entity old = load(e, slice);
  if (old.kind != Entity::Kind::scalar) {
    e.fail(
        node.target.loc(),
        fmt::format("scalar code reads smem of {} but cannot store to it; it stores integers only",
                    name(ref_info(e.program(), slice.base).dtype)),
        ErrorCode::invalid_type);
    return;
  }
  const ValueId other = scalar(e, node.value);
  if (other == no_value) return;
  e.at(node.loc);
  e.builder.emit(Store{slice, e.builder.emit(scalar_op(*node.op, old.value, other))});
}

void update_tile(Elaboration& e, const Slice& slice, const ast::Assignment& node) {
  const Entity old = view_entity(slice), other = evaluate_into(e, node.value, nullptr);
  const Entity result =
      elementwise(e, tile_op(*node.op), {{old, node.target.loc()}, {other, node.value.loc()}},
                  node.loc, &slice);
  if (result.kind != Entity::Kind::view) return;
  const Program& program = e.program();
  const DType type = value_type(program, program.body.back().op),
              to = ref_info(program, slice.base).dtype;
  if (type == to) return;
  const std::string_view sign = name(*node.op);
  e.fail(node.loc,
         fmt::format("`{0}=` stores a tile of {1} to {2}; write x = cast(x {0} v) for x {0}= v "
                     "if it should be rounded",
                     sign, name(type), name(to)),
         ErrorCode::invalid_type);
}

// True if all sizes are equal, so that nothing is broadcast.
bool same_sizes(const Program& program, const Slice& a, const Slice& b) {
  const std::vector<int> x = kept(a), y = kept(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](int i, int j) {
    const ValueId m = a.size[static_cast<std::size_t>(i)], n = b.size[static_cast<std::size_t>(j)];
    return m == n || (program.constant(m) && program.constant(m) == program.constant(n));
  });
}

// If the last op computed the temporary `source`, makes it write to the target instead. Returns
// false if that is not possible. An op that does not broadcast keeps its temporary if the shapes
// differ.
bool redirect(Elaboration& e, const Slice& source, const Slice& target) {
  Program& program = e.program();
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

// Stores a tile, or a number to all elements. before: number of statements before the source was
// lowered.
void store_tile(Elaboration& e, const Slice& target, const Slice& source, const Loc& loc,
                std::size_t before) {
  const DType to = ref_info(e.program(), target.base).dtype;
  if (!is_number(e.program(), source)) {
    const DType type = ref_info(e.program(), source.base).dtype;
    if (type != to) {
      e.fail(loc,
             fmt::format("a tile of {} is stored to {}; write cast(...) if it should be rounded",
                         name(type), name(to)),
             ErrorCode::invalid_type);
      return;
    }
    if (e.program().body.size() > before && redirect(e, source, target)) return;
  }
  const auto number = e.program().constant(source.base);
  if (number && is_integer(to) && !holds(to, *number)) {
    e.fail(loc, fmt::format("{} does not fit {}", *number, name(to)));
    return;
  }
  e.at(loc);
  e.builder.emit(Cast{target, source});
}

void store_number(Elaboration& e, const Slice& target, const ast::Expression& value,
                  const Loc& loc) {
  const ValueId number = scalar(e, value);
  if (number == no_value) return;
  if (!kept(target).empty()) {
    e.fail(loc, "expected one element of scalar memory on the left");
    return;
  }
  e.at(loc);
  e.builder.emit(Store{target, number});
}

}  // namespace

// All sources are read before any destination is written.
void lower(Elaboration& e, const ast::Opaque& node) {
  std::vector<Slice> sources, destinations;
  bool is_whole = true;
  for (const ast::Expression& each : node.sources) {
    const auto source = opaque_source(e, each);
    is_whole &= source.has_value();
    if (source) sources.push_back(*source);
  }
  for (const ast::Expression& each : node.destinations) {
    const auto destination = memory(e, each);
    is_whole &= destination.has_value();
    if (destination) destinations.push_back(*destination);
  }
  if (!is_whole) return;
  e.at(node.loc);
  for (const Slice& source : sources) e.builder.emit(OpaqueRead{source});
  for (const Slice& destination : destinations) e.builder.emit(OpaqueWrite{destination});
}

void lower(Elaboration& e, const ast::Assignment& node) {
  const Entity target = place(e, node.target);
  if (target.kind == Entity::Kind::nothing) return;
  if (target.kind != Entity::Kind::view) {
    e.fail(node.target.loc(), fmt::format("{} cannot be assigned to", e.describe(target)));
    return;
  }
  if (!node.op) {
    store(e, target.slice, node.value, node.loc);
    return;
  }
  const auto* product = node.value.as<ast::Binary>();
  if (node.op == ast::Operator::add && product != nullptr && product->op == ast::Operator::product)
    return multiply_add(e, target.slice, *product);
  if (ref_info(e.program(), target.slice.base).space == Space::smem)
    update_number(e, target.slice, node);
  else
    update_tile(e, target.slice, node);
}

void store(Elaboration& e, const Slice& target, const ast::Expression& value, const Loc& loc) {
  const bool is_number = ref_info(e.program(), target.base).space == Space::smem;
  if (is_number) return store_number(e, target, value, loc);
  if (call_of(value, "tile_iota", 1) != nullptr) {
    evaluate_into(e, value, &target);
    return;
  }
  const auto* call = value.as<ast::Call>();
  const bool cuts = call != nullptr && call->function == "truncate";
  const bool is_cast = call != nullptr && (cuts || call->function == "cast");
  const std::size_t before = e.program().body.size();
  const Entity result = cuts      ? truncate(e, *call, &target)
                        : is_cast ? cast(e, *call, &target)
                                  : evaluate_into(e, value, nullptr);
  if (is_cast && call->arguments.size() == 1) return;
  const auto source = operand_of_store(e, result, value.loc(), target);
  if (source && fits(e, {*source, value.loc()}, target))
    store_tile(e, target, *source, loc, before);
}

}  // namespace tessera
