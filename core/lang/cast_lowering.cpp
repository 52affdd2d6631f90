// What the text writes as a cast: rounded, or cut off.
#include <fmt/format.h>

#include "core/lang/expressions.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/type_binder.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

// dst = src, by Cast or Truncate.
Op between(Op op, const Slice& dst, const Slice& src) {
  field<Slice>(op, info(op).fields[0]) = dst;
  field<Slice>(op, info(op).fields[1]) = src;
  return op;
}

}  // namespace

Entity TileLowering::cast(const ast::Call& call, const Slice* to) {
  return converted(Cast{}, call, to);
}

Entity TileLowering::truncate(const ast::Call& call, const Slice* to) {
  return converted(Truncate{}, call, to);
}

Entity TileLowering::converted(Op op, const ast::Call& call, const Slice* to) {
  const std::string_view word = call.function;
  const bool rounds = std::holds_alternative<Cast>(op);
  if (call.arguments.empty() || call.arguments.size() > 2)
    return draft_.fail(
        call.loc, fmt::format("{} takes a tile, and a type when it is not stored at once", word));
  const auto makes_integers = [&](DType type, const Loc& loc) {
    if (rounds || !is_float(type)) return true;
    draft_.fail(loc, fmt::format("truncate makes integers, found {}; `cast` rounds", name(type)),
                ErrorCode::invalid_type);
    return false;
  };
  const ast::Expression& inner = call.arguments[0];
  const auto* binary = inner.as<ast::Binary>();
  // A value that is rounded once may be computed where it goes.
  const bool computed = rounds && binary != nullptr && binary->op != ast::Operator::product;
  if (call.arguments.size() == 1) {
    if (!to)
      return draft_.fail(call.loc, fmt::format("{0} needs a type here: {0}(x, {1})", word,
                                               rounds ? "bf16" : "i32"));
    if (!makes_integers(ref_info(builder_.program(), to->base).dtype, call.loc)) return {};
    const Entity value = expressions_.evaluate_into(inner, computed ? to : nullptr);
    if (computed && value.kind == Entity::Kind::view && value.slice == *to) return value;
    const auto source = operand_of_store(value, inner.loc(), *to);
    if (!source || !fits({*source, inner.loc()}, *to)) return {};
    draft_.at(call.loc);
    builder_.emit(between(std::move(op), *to, *source));
    return {.kind = Entity::Kind::view, .slice = *to};
  }
  const auto type = types_.dtype(call.arguments[1]);
  if (!type) return {};
  const Entity value = expressions_.evaluate_into(inner, nullptr);
  if (!makes_integers(*type, call.arguments[1].loc())) return {};
  if (!rounds && value.kind == Entity::Kind::scalar) return low_bits(value.value, *type, call.loc);
  const auto source = operand(value, inner.loc());
  if (!source) return {};
  std::vector<ValueId> size;
  for (int d : kept(*source)) size.push_back(source->size[static_cast<std::size_t>(d)]);
  const Slice target = temporary(*type, static_shape(builder_.program(), *source), size);
  draft_.at(call.loc);
  builder_.emit(between(std::move(op), target, *source));
  return {.kind = Entity::Kind::view, .slice = target};
}

// An integer as the type has it, modulo its range.
Entity TileLowering::low_bits(ValueId number, DType type, const Loc& loc) {
  constexpr std::int64_t width = 64;
  const std::int64_t bits = 8 * size_of(type);
  draft_.at(loc);
  if (bits == width) return scalar_entity(number);
  if (is_unsigned(type))
    return scalar_entity(
        builder_.emit(BitAnd{number, builder_.integer((std::int64_t{1} << bits) - 1)}));
  const ValueId places = builder_.integer(width - bits);
  return scalar_entity(builder_.emit(ShiftRight{builder_.emit(ShiftLeft{number, places}), places}));
}

}  // namespace tessera
