#include "devices/cuda/lower/tile_expression.h"

#include <fmt/format.h>

namespace tessera::cuda {

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
  if (const auto* o = std::get_if<Exp>(&op)) return fmt::format("expf({})", read(o->src));
  if (const auto* o = std::get_if<Tanh>(&op)) return fmt::format("tanhf({})", read(o->src));
  if (const auto* o = std::get_if<Erf>(&op)) return fmt::format("erff({})", read(o->src));
  if (const auto* o = std::get_if<Log>(&op)) return fmt::format("logf({})", read(o->src));
  if (const auto* o = std::get_if<Rsqrt>(&op)) return fmt::format("rsqrtf({})", read(o->src));
  return std::nullopt;
}

}  // namespace tessera::cuda
