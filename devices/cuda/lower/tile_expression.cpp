#include "devices/cuda/lower/tile_expression.h"

#include <fmt/format.h>

namespace tessera::cuda {
namespace {

struct Function {
  std::size_t op;
  std::string_view cuda;
};
constexpr Function functions[] = {
    {op_index<Exp>(), "expf"},     {op_index<Exp2>(), "exp2f"},
    {op_index<Expm1>(), "expm1f"}, {op_index<Log>(), "logf"},
    {op_index<Log1p>(), "log1pf"}, {op_index<Logistic>(), "logistic_of"},
    {op_index<Tanh>(), "tanhf"},   {op_index<Erf>(), "erff"},
    {op_index<Erfc>(), "erfcf"},   {op_index<Sin>(), "sinf"},
    {op_index<Cos>(), "cosf"},     {op_index<Sqrt>(), "sqrtf"},
    {op_index<Rsqrt>(), "rsqrtf"}, {op_index<Floor>(), "floorf"},
    {op_index<Ceil>(), "ceilf"},   {op_index<Round>(), "rintf"},
    {op_index<Sign>(), "sign_of"}, {op_index<IsFinite>(), "finite_of"},
};

}  // namespace

std::optional<std::string> tile_expression(const Op& op,
                                           const std::function<std::string(const Slice&)>& read) {
  if (const auto* o = std::get_if<Cast>(&op)) return read(o->src);
  if (const auto* o = std::get_if<TileAdd>(&op))
    return fmt::format("{} + {}", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileSub>(&op))
    return fmt::format("{} - {}", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileMul>(&op))
    return fmt::format("{} * {}", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileDiv>(&op))
    return fmt::format("{} / {}", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileMin>(&op))
    return fmt::format("lesser({}, {})", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileMax>(&op))
    return fmt::format("greater({}, {})", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileLt>(&op))
    return fmt::format("{} < {} ? 1.0f : 0.0f", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileLe>(&op))
    return fmt::format("{} <= {} ? 1.0f : 0.0f", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileEq>(&op))
    return fmt::format("{} == {} ? 1.0f : 0.0f", read(o->a), read(o->b));
  if (const auto* o = std::get_if<TileSelect>(&op)) {
    return fmt::format("{} != 0.0f ? {} : {}", read(o->condition), read(o->a), read(o->b));
  }
  if (const auto* o = std::get_if<Pow>(&op))
    return fmt::format("powf({}, {})", read(o->a), read(o->b));
  for (const Function& each : functions)
    if (op.index() == each.op)
      return fmt::format("{}({})", each.cuda, read(field<Slice>(op, info(op).fields[1])));
  return std::nullopt;
}

std::optional<std::string> whole_expression(const Op& op, std::string_view type,
                                            const std::function<std::string(const Slice&)>& read) {
  const auto two = [&](const auto& o, std::string_view text) {
    const std::string a = read(o.a), b = read(o.b);
    return fmt::format(fmt::runtime(text), a, b, type);
  };
  if (const auto* o = std::get_if<TileMod>(&op)) return two(*o, "floor_mod({0}, {1})");
  if (const auto* o = std::get_if<TileQuotient>(&op)) return two(*o, "quotient_of({0}, {1})");
  if (const auto* o = std::get_if<TileRemainder>(&op)) return two(*o, "remainder_of({0}, {1})");
  if (const auto* o = std::get_if<TileBitAnd>(&op)) return two(*o, "({0} & {1})");
  if (const auto* o = std::get_if<TileBitOr>(&op)) return two(*o, "({0} | {1})");
  if (const auto* o = std::get_if<TileBitXor>(&op)) return two(*o, "({0} ^ {1})");
  if (const auto* o = std::get_if<TileShiftLeft>(&op))
    return two(*o, "shifted_left(static_cast<{2}>({0}), {1})");
  if (const auto* o = std::get_if<TileShiftRight>(&op))
    return two(*o, "shifted_right(static_cast<{2}>({0}), {1})");
  if (const auto* o = std::get_if<TileBitNot>(&op)) return fmt::format("~{}", read(o->src));
  return std::nullopt;
}

}  // namespace tessera::cuda
