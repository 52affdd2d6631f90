// Lowering of casts: rounding or truncation.
#include <fmt/format.h>

#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/tile_lowering.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

// dst = src, with Cast or Truncate.
Op between(Op op, const Slice& dst, const Slice& src) {
  field<Slice>(op, info(op).fields[0]) = dst;
  field<Slice>(op, info(op).fields[1]) = src;
  return op;
}

// Returns an integer converted to the type, modulo its range.
Entity low_bits(Elaboration& e, ValueId number, DType type, const Loc& loc) {
  constexpr std::int64_t width = 64;
  const std::int64_t bits = 8 * size_of(type);
  e.at(loc);
  if (bits == width) return scalar_entity(number);
  if (is_unsigned(type))
    return scalar_entity(
        e.builder.emit(BitAnd{number, e.builder.integer((std::int64_t{1} << bits) - 1)}));
  const ValueId places = e.builder.integer(width - bits);
  return scalar_entity(
      e.builder.emit(ShiftRight{e.builder.emit(ShiftLeft{number, places}), places}));
}

Entity converted(Elaboration& e, Op op, const ast::Call& call, const Slice* to) {
  const std::string_view word = call.function;
  const bool rounds = std::holds_alternative<Cast>(op);
  if (call.arguments.empty() || call.arguments.size() > 2)
    return e.fail(call.loc,
                  fmt::format("{} takes a tile, and a type unless it is stored immediately", word));
  const auto makes_integers = [&](DType type, const Loc& loc) {
    if (rounds || !is_float(type)) return true;
    e.fail(loc, fmt::format("truncate converts to integers, found {}; `cast` rounds", name(type)),
           ErrorCode::invalid_type);
    return false;
  };
  const ast::Expression& inner = call.arguments[0];
  const auto* binary = inner.as<ast::Binary>();
  // A value that is rounded once may be computed directly in its target.
  const bool computed = rounds && binary != nullptr && binary->op != ast::Operator::product;
  if (call.arguments.size() == 1) {
    if (!to)
      return e.fail(call.loc, fmt::format("{0} needs a type here: {0}(x, {1})", word,
                                          rounds ? "bf16" : "i32"));
    if (!makes_integers(ref_info(e.program(), to->base).dtype, call.loc)) return {};
    const Entity value = evaluate_into(e, inner, computed ? to : nullptr);
    if (computed && value.kind == Entity::Kind::view && value.slice == *to) return value;
    const auto source = operand_of_store(e, value, inner.loc(), *to);
    if (!source || !fits(e, {*source, inner.loc()}, *to)) return {};
    e.at(call.loc);
    e.builder.emit(between(std::move(op), *to, *source));
    return view_entity(*to);
  }
  const auto type = element_type(e, call.arguments[1]);
  if (!type) return {};
  const Entity value = evaluate_into(e, inner, nullptr);
  if (!makes_integers(*type, call.arguments[1].loc())) return {};
  if (!rounds && value.kind == Entity::Kind::scalar)
    return low_bits(e, value.value, *type, call.loc);
  const auto source = tile_operand(e, value, inner.loc());
  if (!source) return {};
  const Slice target = temporary_like(e, *type, *source);
  e.at(call.loc);
  e.builder.emit(between(std::move(op), target, *source));
  return view_entity(target);
}

}  // namespace

Entity cast(Elaboration& e, const ast::Call& call, const Slice* to) {
  return converted(e, Cast{}, call, to);
}

Entity truncate(Elaboration& e, const ast::Call& call, const Slice* to) {
  return converted(e, Truncate{}, call, to);
}

}  // namespace tessera
