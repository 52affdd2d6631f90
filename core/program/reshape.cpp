#include "core/program/reshape.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::int64_t base = 10;  // radix of an encoded order

template <typename First, typename... Rest>
bool holds_any(const Op& op) {
  if constexpr (sizeof...(Rest) == 0)
    return std::holds_alternative<First>(op);
  else
    return std::holds_alternative<First>(op) || holds_any<Rest...>(op);
}

}  // namespace

Reshape reshape_of(const Op& op) {
  if (holds_any<Transpose, Permute>(op)) return Reshape::permuted;
  return reduced_dimension(op) ? Reshape::reduced : Reshape::none;
}

bool takes_matrix(const Op& op) { return holds_any<Transpose, RowSum, RowMax, ColSum, ColMax>(op); }

bool computes_integers(const Op& op) {
  return holds_any<TileMod, TileQuotient, TileRemainder, TileBitAnd, TileBitOr, TileBitXor,
                   TileBitNot, TileShiftLeft, TileShiftRight>(op);
}

std::optional<std::int64_t> reduced_dimension(const Op& op) {
  if (holds_any<RowSum, RowMax>(op)) return 1;
  if (holds_any<ColSum, ColMax>(op)) return 0;
  if (const auto* o = std::get_if<TileReduceSum>(&op)) return o->dim;
  if (const auto* o = std::get_if<TileReduceMax>(&op)) return o->dim;
  if (const auto* o = std::get_if<TileReduceMin>(&op)) return o->dim;
  return std::nullopt;
}

std::vector<int> permutation(const Op& op, int rank) {
  if (std::holds_alternative<Transpose>(op)) return {1, 0};
  std::int64_t digits = std::get<Permute>(op).order;
  std::vector<int> order(static_cast<std::size_t>(rank));
  for (std::size_t d = order.size(); d-- > 0; digits /= base)
    order[d] = static_cast<int>(digits % base);
  for (int d = 0; d < rank; ++d)
    if (std::count(order.begin(), order.end(), d) != 1) return {};
  if (digits != 0) return {};
  return order;
}

std::int64_t permutation_field(const std::vector<int>& order) {
  std::int64_t digits = 0;
  for (const int d : order) digits = digits * base + d;
  return digits;
}

}  // namespace tessera
