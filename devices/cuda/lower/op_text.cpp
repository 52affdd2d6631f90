#include "devices/cuda/lower/op_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tessera::cuda {
namespace {

constexpr OpText texts[] = {
    // Scalars.
    {op_index<Add>(), "", "{0} + {1}"},
    {op_index<Sub>(), "", "{0} - {1}"},
    {op_index<Mul>(), "", "{0} * {1}"},
    {op_index<Div>(), "", "floor_div({0}, {1})"},
    {op_index<Mod>(), "", "floor_mod({0}, {1})"},
    {op_index<Tiles>(), "", "tiles_of({0}, {1})"},
    {op_index<Quotient>(), "", "quotient_of({0}, {1})"},
    {op_index<Remainder>(), "", "remainder_of({0}, {1})"},
    {op_index<BitAnd>(), "", "{0} & {1}"},
    {op_index<BitOr>(), "", "{0} | {1}"},
    {op_index<BitXor>(), "", "{0} ^ {1}"},
    {op_index<BitNot>(), "", "~{0}"},
    {op_index<ShiftLeft>(), "", "shifted_left<i64>({0}, {1})"},
    {op_index<ShiftRight>(), "", "shifted_right<i64>({0}, {1})"},
    {op_index<Min>(), "", "least({0}, {1})"},
    {op_index<Max>(), "", "most({0}, {1})"},
    {op_index<And>(), "", "({0} != 0) & ({1} != 0)"},
    {op_index<Or>(), "", "({0} != 0) | ({1} != 0)"},
    {op_index<Not>(), "", "{0} == 0"},
    {op_index<Eq>(), "", "{0} == {1}"},
    {op_index<Ne>(), "", "{0} != {1}"},
    {op_index<Lt>(), "", "{0} < {1}"},
    {op_index<Le>(), "", "{0} <= {1}"},
    {op_index<Select>(), "", "{0} != 0 ? {1} : {2}"},
    {op_index<ToReal>(), "", "static_cast<float>({0})"},
    {op_index<DeviceId>(), "", "0"},
    {op_index<CoreId>(), "", "0"},
    {op_index<DeviceCount>(), "", "1"},
    {op_index<CoreCount>(), "", "1"},
    // Elements of tiles.
    {op_index<TileAdd>(), "{0} + {1}", "static_cast<u64>({0}) + static_cast<u64>({1})"},
    {op_index<TileSub>(), "{0} - {1}", "static_cast<u64>({0}) - static_cast<u64>({1})"},
    {op_index<TileMul>(), "{0} * {1}", "static_cast<u64>({0}) * static_cast<u64>({1})"},
    {op_index<TileDiv>(), "{0} / {1}", "floor_div({0}, {1})"},
    {op_index<TileMin>(), "lesser({0}, {1})", "least({0}, {1})"},
    {op_index<TileMax>(), "greater({0}, {1})", "most({0}, {1})"},
    {op_index<TileLt>(), "{0} < {1} ? 1.0f : 0.0f", "static_cast<i64>({0} < {1} ? 1 : 0)"},
    {op_index<TileLe>(), "{0} <= {1} ? 1.0f : 0.0f", "static_cast<i64>({0} <= {1} ? 1 : 0)"},
    {op_index<TileEq>(), "{0} == {1} ? 1.0f : 0.0f", "static_cast<i64>({0} == {1} ? 1 : 0)"},
    {op_index<TileSelect>(), "{0} != 0.0f ? {1} : {2}", ""},
    {op_index<Pow>(), "powf({0}, {1})", ""},
    {op_index<Exp>(), "expf({0})", ""},
    {op_index<Exp2>(), "exp2f({0})", ""},
    {op_index<Expm1>(), "expm1f({0})", ""},
    {op_index<Log>(), "logf({0})", ""},
    {op_index<Log1p>(), "log1pf({0})", ""},
    {op_index<Logistic>(), "logistic_of({0})", ""},
    {op_index<Tanh>(), "tanhf({0})", ""},
    {op_index<Erf>(), "erff({0})", ""},
    {op_index<Erfc>(), "erfcf({0})", ""},
    {op_index<Sin>(), "sinf({0})", ""},
    {op_index<Cos>(), "cosf({0})", ""},
    {op_index<Sqrt>(), "sqrtf({0})", ""},
    {op_index<Rsqrt>(), "rsqrtf({0})", ""},
    {op_index<Floor>(), "floorf({0})", ""},
    {op_index<Ceil>(), "ceilf({0})", ""},
    {op_index<Round>(), "rintf({0})", ""},
    {op_index<Sign>(), "sign_of({0})", ""},
    {op_index<IsFinite>(), "finite_of({0})", ""},
    {op_index<TileMod>(), "", "floor_mod({0}, {1})"},
    {op_index<TileQuotient>(), "", "quotient_of({0}, {1})"},
    {op_index<TileRemainder>(), "", "remainder_of({0}, {1})"},
    {op_index<TileBitAnd>(), "", "({0} & {1})"},
    {op_index<TileBitOr>(), "", "({0} | {1})"},
    {op_index<TileBitXor>(), "", "({0} ^ {1})"},
    {op_index<TileBitNot>(), "", "~{0}"},
    {op_index<TileShiftLeft>(), "", "shifted_left(static_cast<{type}>({0}), {1})"},
    {op_index<TileShiftRight>(), "", "shifted_right(static_cast<{type}>({0}), {1})"},
};

}  // namespace

const OpText* op_text(const Op& op) {
  const OpText* const found = std::find_if(std::begin(texts), std::end(texts),
                                           [&](const OpText& t) { return t.op == op.index(); });
  return found == std::end(texts) ? nullptr : found;
}

std::string written(std::string_view format, std::vector<std::string> operands,
                    std::string_view type) {
  operands.resize(3);
  return fmt::format(fmt::runtime(format), operands[0], operands[1], operands[2],
                     fmt::arg("type", type));
}

}  // namespace tessera::cuda
