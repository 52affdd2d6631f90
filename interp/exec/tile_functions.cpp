// Functions of single elements, computed in double and rounded to f32.
#include <cmath>

#include "interp/exec/tile_operands.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {
namespace {

template <typename Op>
Step elementwise(const Op& op, Core& core, tile::Function f) {
  TileView src = core.read(op.src);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the operand", op.src, src, dst)) return Step::stop;
  tile::apply(f, dst, src, core.tile_context());
  return Step::next;
}

}  // namespace

Step exec(const Exp& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::exp(x); });
}
Step exec(const Exp2& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::exp2(x); });
}
Step exec(const Expm1& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::expm1(x); });
}
Step exec(const Log& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::log(x); });
}
Step exec(const Log1p& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::log1p(x); });
}
Step exec(const Logistic& op, Core& core) {
  return elementwise(op, core, [](double x) { return 1 / (1 + std::exp(-x)); });
}
Step exec(const Tanh& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::tanh(x); });
}
Step exec(const Erf& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::erf(x); });
}
Step exec(const Erfc& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::erfc(x); });
}
Step exec(const Sin& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::sin(x); });
}
Step exec(const Cos& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::cos(x); });
}
Step exec(const Sqrt& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::sqrt(x); });
}
Step exec(const Rsqrt& op, Core& core) {
  return elementwise(op, core, [](double x) { return 1 / std::sqrt(x); });
}
Step exec(const Floor& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::floor(x); });
}
Step exec(const Ceil& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::ceil(x); });
}
Step exec(const Round& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::nearbyint(x); });
}
Step exec(const Sign& op, Core& core) {
  return elementwise(op, core, [](double x) { return x > 0 ? 1 : x < 0 ? -1 : x; });
}
Step exec(const IsFinite& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::isfinite(x) ? 1.0 : 0.0; });
}
Step exec(const Pow& op, Core& core) {
  TileView a = core.read(op.a), b = core.read(op.b);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the base", op.a, a, dst) || !fits(core, "the exponent", op.b, b, dst))
    return Step::stop;
  tile::apply([](double x, double y) { return std::pow(x, y); }, dst, a, b, core.tile_context());
  return Step::next;
}

}  // namespace tessera
