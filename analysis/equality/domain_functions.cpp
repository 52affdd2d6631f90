// Functions of single elements over the field, expressed by others if possible; also powers,
// reductions and products.
#include <fmt/format.h>

#include "analysis/equality/domain.h"
#include "analysis/equality/exact.h"

namespace tessera::fields {

Tile FiniteFieldDomain::of_function(Function kind, const Tile& x) {
  const auto number = [&](std::int64_t integer) {
    Tile tile = filled(x.shape, arithmetic_.draw().of(integer));
    tile.bound = bound_of(integer);
    return tile;
  };
  const auto combined = [&](Binary op, const Tile& a, const Tile& b) {
    return arithmetic_.binary(op, a, b);
  };
  switch (kind) {
    case Function::exp:
      return arithmetic_.exponential(x);
    case Function::expm1:
      return combined(Binary::sub, arithmetic_.exponential(x), number(1));
    case Function::logistic: {
      const Tile power = arithmetic_.exponential(combined(Binary::sub, number(0), x));
      return combined(Binary::div, number(1), combined(Binary::add, number(1), power));
    }
    case Function::log1p:
      return arithmetic_.unknown("log", combined(Binary::add, number(1), x));
    case Function::erfc:
      return combined(Binary::sub, number(1), arithmetic_.unknown("erf", x));
    case Function::is_finite: {
      // Over the field it is unknown which real numbers are too large for a float.
      Tile tile = arithmetic_.unknown("is finite", x);
      for (std::size_t i = 0; i < x.p.size(); ++i)
        if (!is_finite(x.p[i])) tile.put(i, {});
      tile.bound.is_truth = true;
      return tile;
    }
    default:
      return arithmetic_.unknown(name(kind), x);
  }
}

Tile FiniteFieldDomain::function(Function kind, const Operand& x, DType to) {
  return rounded(of_function(kind, x), to);
}

Tile FiniteFieldDomain::power(const Operand& a, const Operand& b, DType to) {
  return rounded(arithmetic_.unknown("pow", a, b), to);
}

Expected<Tile> FiniteFieldDomain::bits(const Operand& x, const Extents&, DType to) {
  return error(
      ErrorCode::unsupported,
      fmt::format(
          "the bits of {} as {} have no rule over the field: views of another type are rejected",
          name(x.dtype), name(to)));
}

Expected<Tile> FiniteFieldDomain::reduce(Reduction kind, const Operand& x, std::size_t dim,
                                         DType to) {
  const bool is_sum = kind == Reduction::sum, wants_max = kind == Reduction::max;
  if (x.bound.is_truth && !is_sum) return arithmetic_.of_truths(wants_max, x, dim);
  if (is_integer(x.dtype) && !is_sum)
    return error(
        ErrorCode::unsupported,
        "the maximum or minimum of integers that come from floats has no rule over the field");
  const bool is_exact = (is_integer(x.dtype) && is_integer(to) && holds_integers(to, x)) ||
                        (!is_sum && x.dtype == to);
  return stored(is_sum ? arithmetic_.sum(x, dim) : arithmetic_.outermost(wants_max, x, dim), to,
                is_exact);
}

Tile FiniteFieldDomain::product(Operand acc, const Operand& a, const Operand& b) {
  return arithmetic_.product(std::move(acc), a, b);
}

Expected<Tile> FiniteFieldDomain::accumulated(const Operand& sum, const Operand& addend, DType to) {
  if (is_integer(to))
    return error(ErrorCode::unsupported,
                 "a copy that adds integers which come from floats has no rule over the field");
  return rounded(arithmetic_.binary(Binary::add, sum, addend), to);
}

}  // namespace tessera::fields
