#include "interp/tiles/functions.h"

#include <cmath>

namespace tessera::tile {

RealFunction real_function(shapes::Function function) {
  using shapes::Function;
  switch (function) {
    case Function::exp:
      return [](double x) { return std::exp(x); };
    case Function::exp2:
      return [](double x) { return std::exp2(x); };
    case Function::expm1:
      return [](double x) { return std::expm1(x); };
    case Function::log:
      return [](double x) { return std::log(x); };
    case Function::log1p:
      return [](double x) { return std::log1p(x); };
    case Function::logistic:
      return [](double x) { return 1 / (1 + std::exp(-x)); };
    case Function::tanh:
      return [](double x) { return std::tanh(x); };
    case Function::erf:
      return [](double x) { return std::erf(x); };
    case Function::erfc:
      return [](double x) { return std::erfc(x); };
    case Function::sin:
      return [](double x) { return std::sin(x); };
    case Function::cos:
      return [](double x) { return std::cos(x); };
    case Function::sqrt:
      return [](double x) { return std::sqrt(x); };
    case Function::rsqrt:
      return [](double x) { return 1 / std::sqrt(x); };
    case Function::floor:
      return [](double x) { return std::floor(x); };
    case Function::ceil:
      return [](double x) { return std::ceil(x); };
    case Function::round:
      return [](double x) { return std::nearbyint(x); };
    case Function::is_finite:
      return [](double x) { return std::isfinite(x) ? 1.0 : 0.0; };
    case Function::sign:
      break;
  }
  return [](double x) { return x > 0 ? 1 : x < 0 ? -1 : x; };
}

}  // namespace tessera::tile
