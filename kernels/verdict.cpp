#include "kernels/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/convert.h"
#include "core/stop.h"
#include "kernels/reference_matrix.h"

namespace tessera {
namespace {

constexpr double hopeless = std::numeric_limits<double>::max();

double rounded(DType dtype, double value) {
  std::byte element[8];
  store_element(element, dtype, value);
  return load_element(element, dtype);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Roundings on the longest path from a product to its sum.
double roundings(const Arithmetic& arithmetic, const ReferenceBlock& block) {
  const auto after = static_cast<double>(block.epilogue);
  if (arithmetic.exact) return 0;
  if (block.terms == 0) return after;
  if (!is_float(arithmetic.accumulator)) return block.added ? 2 : 0;
  return static_cast<double>(block.terms - 1) + (arithmetic.products_round ? 1 : 0) +
         (block.added ? 1 : 0) + after;
}

}  // namespace

Arithmetic Arithmetic::of(DType lhs, DType rhs, Values values) {
  const auto wide = [](DType dtype) { return dtype == DType::f32; };
  const auto deep = [](DType dtype) { return dtype == DType::f32 || dtype == DType::bf16; };
  const bool whole = is_integer(lhs) && is_integer(rhs);
  return {whole ? DType::i32 : DType::f32, wide(lhs) || wide(rhs), deep(lhs) || deep(rhs),
          values == Values::whole};
}

Judge::Judge(const Tensor& result, const Arithmetic& arithmetic)
    : result_(&result),
      arithmetic_(arithmetic),
      rounding_(rounding(result.dtype(), arithmetic.accumulator)),
      columns_(result.dim(result.rank() - 1)) {}

void Judge::see(const ReferenceBlock& block) {
  leave_if_stopped();
  const std::int64_t size = static_cast<std::int64_t>(block.rows.size()) * block.columns;
  if (size == 0) return;
  if (block.column == 0) verdict_.checked_rows += static_cast<std::int64_t>(block.rows.size());
  got_.resize(std::max(got_.size(), static_cast<std::size_t>(size)));
  decode(MatrixView{result_, block.column, columns_, 1}, block.rows, block.columns, got_.data());

  // Without terms nothing is computed: zeros and copies are exact.
  const bool is_exact = arithmetic_.exact || (block.terms == 0 && block.epilogue == 0);
  constexpr double unit = 0x1p-24, reference_unit = 0x1p-53, f32_overflow = 0x1p128;
  const double n = roundings(arithmetic_, block) * unit + arithmetic_.wire,
               terms = static_cast<double>(block.terms);
  // The reference's own error is part of the bound: its sums are rounded as well, in f64.
  const double gamma = (n < 1 ? n / (1 - n) : hopeless) + 2 * terms * reference_unit;
  const double flushed = arithmetic_.flushes ? terms * 0x1p-126 : 0;
  const double underflow = static_cast<double>(block.epilogue) * 0x1p-126;
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    for (std::int64_t c = 0; c < block.columns; ++c) {
      const std::int64_t i = static_cast<std::int64_t>(r) * block.columns + c;
      const Element element{block.rows[r], block.column + c, got_[static_cast<std::size_t>(i)],
                            block.value[i]};
      if (is_exact || !std::isfinite(element.expected)) {
        compare_exactly(element);
        continue;
      }
      double bound = gamma * block.magnitude[i] + arithmetic_.wire_steps + underflow;
      if (flushed > 0) bound += flushed * (1 + block.row_largest[r] + block.column_largest[c]);
      const bool partial_sums_overflow =
          is_float(arithmetic_.accumulator) && block.magnitude[i] + bound >= f32_overflow;
      compare(element, bound, partial_sums_overflow ? OnTheWay::inf : OnTheWay::finite);
    }
  }
}

void Judge::compare_exactly(const Element& element) {
  const double only = rounded(result_->dtype(), element.expected);
  if (same(element.got, only)) return;
  note(element, std::abs(element.got - only), hopeless);
}

// `bound` is that of the sum; storing it adds its own.
void Judge::compare(Element element, double bound, OnTheWay on_the_way) {
  const double largest = rounding_.largest, got = element.got;
  double& expected = element.expected;
  if (rounding_.saturates) expected = std::clamp(expected, -largest, largest);
  const double size = std::abs(expected);
  const bool must_overflow = !rounding_.saturates && size - bound >= rounding_.overflow;
  const bool may_overflow = !rounding_.saturates && size + bound >= rounding_.overflow;
  const bool same_sign = std::signbit(got) == std::signbit(expected);
  if (std::isinf(got) &&
      ((may_overflow && same_sign) || (on_the_way == OnTheWay::inf && !must_overflow))) {
    return;
  }
  if (!std::isfinite(got) || must_overflow) return note(element, hopeless, hopeless);
  const double error = std::abs(got - expected);
  if (error == 0) return;
  bound = bound * (1 + rounding_.unit) + std::max(rounding_.unit * size, rounding_.half_step);
  note(element, error, bound > 0 ? error / bound : hopeless);
}

void Judge::note(const Element& element, double error, double share) {
  if (error < hopeless) verdict_.max_abs_error = std::max(verdict_.max_abs_error, error);
  if (share > 1) {
    verdict_.ok = false;
    ++verdict_.wrong_elements;
  }
  if (share <= verdict_.max_error_over_bound && worst_ >= 0) return;
  verdict_.max_error_over_bound = share;
  verdict_.got = element.got;
  verdict_.expected = element.expected;
  worst_ = element.row * columns_ + element.column;
}

Verdict Judge::verdict() const {
  Verdict verdict = verdict_;
  if (worst_ >= 0) {
    verdict.worst.resize(static_cast<std::size_t>(result_->rank()));
    std::int64_t rest = worst_;
    for (int d = result_->rank() - 1; d >= 0; --d) {
      verdict.worst[static_cast<std::size_t>(d)] = rest % result_->dim(d);
      rest /= result_->dim(d);
    }
  }
  const std::string place = fmt::format("out[{}]", fmt::join(verdict.worst, ", "));
  if (!verdict.ok) {
    verdict.message = fmt::format("{} of {} elements are wrong; worst {} = {}, expected {}",
                                  verdict.wrong_elements, verdict.checked_rows * columns_, place,
                                  verdict.got, verdict.expected);
    if (verdict.max_error_over_bound < hopeless) {
      verdict.message += fmt::format(", {:.3g} times its bound", verdict.max_error_over_bound);
    }
  } else if (worst_ >= 0) {
    verdict.message = fmt::format(
        "{} rows checked; worst {} = {}, expected {}, at {:.3g} of its bound", verdict.checked_rows,
        place, verdict.got, verdict.expected, verdict.max_error_over_bound);
  } else if (verdict.checked_rows > 0) {
    verdict.message = fmt::format("{} rows checked; every element is exact", verdict.checked_rows);
  }
  return verdict;
}

}  // namespace tessera
