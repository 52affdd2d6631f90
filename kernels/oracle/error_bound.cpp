#include "kernels/oracle/error_bound.h"

#include <limits>

#include "core/data/dtype_range.h"

namespace tessera {
namespace {

constexpr double unit = 0x1p-24;            // of one rounding in f32
constexpr double reference_unit = 0x1p-53;  // of one rounding in f64
constexpr double min_normal = 0x1p-126;     // of f32
constexpr double exact_in_f32 = 0x1p24;     // integers up to this are exact

// Number of roundings on the longest path from a product to its sum.
double roundings(const Arithmetic& arithmetic, const ReferenceBlock& block) {
  const auto after = static_cast<double>(block.epilogue);
  if (block.terms == 0) return after;
  const bool converted = arithmetic.products_round || arithmetic.integers;
  return static_cast<double>(block.terms - 1) + (converted ? 1 : 0) + (block.added ? 1 : 0) + after;
}

// Fraction of the terms' magnitude that this number of roundings may lose.
double share_lost(double roundings_and_wire) {
  return roundings_and_wire < 1 ? roundings_and_wire / (1 - roundings_and_wire)
                                : std::numeric_limits<double>::max();
}

}  // namespace

Arithmetic Arithmetic::of(DType lhs, DType rhs, DType out, Values values) {
  const auto wide = [](DType dtype) { return dtype == DType::f32; };
  const auto deep = [](DType dtype) { return dtype == DType::f32 || dtype == DType::bf16; };
  Arithmetic arithmetic;
  arithmetic.integers = is_integer(lhs) && is_integer(rhs);
  if (arithmetic.integers) arithmetic.accumulator = tessera::accumulator(lhs, out);
  arithmetic.products_round = wide(lhs) || wide(rhs);
  arithmetic.flushes = deep(lhs) || deep(rhs);
  arithmetic.exact = values == Values::small_integers;
  return arithmetic;
}

ErrorBound::ErrorBound(const Arithmetic& arithmetic, const ReferenceBlock& block)
    : arithmetic_(arithmetic),
      block_(block),
      is_exact_(arithmetic.exact || !is_float(arithmetic.accumulator) ||
                (block.terms == 0 && block.epilogue == 0)) {
  // The bound includes the reference's own error, because its sums are rounded in f64.
  const double reference_error = 2 * static_cast<double>(block.terms) * reference_unit;
  gamma_ = share_lost(roundings(arithmetic, block) * unit + arithmetic.wire) + reference_error;
  gamma_after_ = share_lost(static_cast<double>(block.epilogue + (block.added ? 1 : 0)) * unit);
}

double ErrorBound::of_element(double magnitude) const {
  // Integer sums that f32 represents are exact in any order; only the epilogue and the existing
  // element round.
  const bool is_small = arithmetic_.integers && magnitude <= exact_in_f32;
  const double underflow = static_cast<double>(block_.epilogue) * min_normal;
  return (is_small ? gamma_after_ : gamma_) * magnitude + arithmetic_.wire_steps + underflow;
}

double ErrorBound::of_flushing(std::int64_t row, std::int64_t column) const {
  if (!arithmetic_.flushes || block_.terms == 0) return 0;
  return static_cast<double>(block_.terms) * min_normal *
         (1 + block_.row_largest[row] + block_.column_largest[column]);
}

}  // namespace tessera
