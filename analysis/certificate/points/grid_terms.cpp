#include "analysis/certificate/points/grid_terms.h"

#include <cstdlib>
#include <variant>

namespace tessera {
namespace {

// Sums of two factors do not overflow.
constexpr std::int64_t max_factor = std::int64_t{1} << 61;

}  // namespace

std::optional<GridTerms> grid_terms(const Program& program, StmtId pipeline, ValueId id) {
  const Value& v = program.value(id);
  if (v.constant || v.statement < pipeline) return GridTerms{};
  const Op& op = program.body[v.statement].op;
  if (std::holds_alternative<Grid>(op)) return GridTerms{{id, 1}};
  const auto sum = [&](ValueId a, ValueId b, std::int64_t sign) -> std::optional<GridTerms> {
    std::optional<GridTerms> x = grid_terms(program, pipeline, a);
    const std::optional<GridTerms> y = grid_terms(program, pipeline, b);
    if (!x || !y) return std::nullopt;
    for (const auto& [dim, factor] : *y) {
      std::int64_t& total = (*x)[dim];
      total += sign * factor;
      if (std::abs(total) > max_factor) return std::nullopt;
    }
    return x;
  };
  if (const auto* add = std::get_if<Add>(&op)) return sum(add->a, add->b, 1);
  if (const auto* sub = std::get_if<Sub>(&op)) return sum(sub->a, sub->b, -1);
  const auto* mul = std::get_if<Mul>(&op);
  if (mul == nullptr) return std::nullopt;
  const auto a = program.constant(mul->a), b = program.constant(mul->b);
  if (!a && !b) return std::nullopt;
  std::optional<GridTerms> x = grid_terms(program, pipeline, a ? mul->b : mul->a);
  const std::int64_t by = a ? *a : *b;
  if (!x || by > max_factor || by < -max_factor) return std::nullopt;
  for (auto& [dim, factor] : *x) {
    if (by != 0 && std::abs(factor) > max_factor / std::abs(by)) return std::nullopt;
    factor *= by;
  }
  return x;
}

}  // namespace tessera
