#include "kernels/oracle/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/data/convert.h"
#include "core/data/dtype_range.h"
#include "core/report/stop.h"
#include "kernels/oracle/reference_matrix.h"

namespace tessera {
namespace {

constexpr double hopeless = std::numeric_limits<double>::max();

double rounded(DType dtype, double value) {
  std::byte element[8];
  store_element(element, dtype, value);
  return load_element(element, dtype);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

std::string overflow_text(std::int64_t elements, DType sums) {
  if (elements == 0) return {};
  return fmt::format(
      "; {} element{} overflow{} {}{}", elements, elements == 1 ? "" : "s",
      elements == 1 ? "s" : "", name(sums),
      is_float(sums) ? " during the sum, which leaves it undetermined" : ", whose sums wrap");
}

Verdict unjudged(const Diags& call) {
  Verdict verdict;
  verdict.ok = false;
  verdict.message = fmt::format("this cannot be checked: {}", call.front().message);
  return verdict;
}

std::optional<Verdict> misshapen(const Tensor& out, const Shape& shape) {
  if (out.shape() == shape && out.data() != nullptr) return std::nullopt;
  return unjudged({error(fmt::format("the result has shape {}, expected {}", to_string(out.shape()),
                                     to_string(shape)))});
}

Judge::Judge(const Tensor& result, const Arithmetic& arithmetic)
    : result_(&result),
      arithmetic_(arithmetic),
      rounding_(rounding(result.dtype(), arithmetic.accumulator)),
      columns_(result.dim(result.rank() - 1)) {}

void Judge::see(const ReferenceBlock& block, std::int64_t first, std::int64_t columns) {
  leave_if_stopped();
  const std::int64_t size = static_cast<std::int64_t>(block.rows.size()) * block.columns;
  if (size == 0) return;
  if (block.column == 0) verdict_.checked_rows += static_cast<std::int64_t>(block.rows.size());
  checked_elements_ += size;
  got_.resize(std::max(got_.size(), static_cast<std::size_t>(size)));
  decode(MatrixView{result_, first + block.column, columns, 1}, block.rows, block.columns,
         got_.data());

  const ErrorBound bounds(arithmetic_, block);
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    for (std::int64_t c = 0; c < block.columns; ++c) {
      const std::int64_t i = static_cast<std::int64_t>(r) * block.columns + c;
      const Element element{first + block.rows[r] * columns + block.column + c,
                            got_[static_cast<std::size_t>(i)], block.value[i],
                            block.magnitude ? block.magnitude[i] : 0};
      const double bound = bounds.of_element(element.magnitude);
      OnTheWay way = on_the_way(element, bound);
      // If the sum is infinite, the epilogue may give inf of any sign or NaN.
      if (block.sum && on_the_way({.expected = block.sum[i], .magnitude = block.sum_magnitude[i]},
                                  bounds.of_sum(block.sum_magnitude[i])) != OnTheWay::finite)
        way = OnTheWay::either;
      if (bounds.is_exact() || !std::isfinite(element.expected))
        compare_exactly(element, way);
      else
        compare(element, bound + bounds.of_flushing(static_cast<std::int64_t>(r), c), way);
    }
  }
}

// Let p be the sum of the terms that have the sign of the result, and -n the sum of the others. The
// result is p - n, and every partial sum is in [-n, p]. NaN requires the partial sums inf and -inf,
// so n must overflow.
Judge::OnTheWay Judge::on_the_way(const Element& element, double bound) const {
  if (!is_float(arithmetic_.accumulator)) return OnTheWay::finite;
  // With an infinite term, all finite terms may have the other sign.
  if (!std::isfinite(element.expected))
    return element.magnitude >= arithmetic_.overflow ? OnTheWay::either : OnTheWay::finite;
  const double sum = std::abs(element.expected);
  const double n = (element.magnitude - sum) / 2 + bound, p = n + sum;
  if (n >= arithmetic_.overflow) return OnTheWay::either;
  return p >= arithmetic_.overflow ? OnTheWay::inf : OnTheWay::finite;
}

bool Judge::overflows(const Element& element, OnTheWay on_the_way) {
  if (on_the_way == OnTheWay::finite) return false;
  const double got = element.got;
  const bool is_infinite =
      std::isinf(got) || (rounding_.saturates && std::abs(got) == rounding_.largest);
  const bool same_sign = std::signbit(got) == std::signbit(element.expected);
  const bool is_either = on_the_way == OnTheWay::either;
  if (!(is_infinite && (same_sign || is_either)) && !(std::isnan(got) && is_either)) return false;
  ++verdict_.overflowed_elements;
  return true;
}

void Judge::compare_exactly(Element element, OnTheWay on_the_way) {
  const bool wraps = result_->dtype() == DType::i32;
  const double held = wraps ? wrapped_i32(element.expected) : element.expected;
  const double only = rounded(result_->dtype(), held);
  // Integers and moved elements have a fixed sign, also for zero, in any order of the sums.
  const bool has_other_sign =
      arithmetic_.exact && only == 0 && std::signbit(element.got) != std::signbit(only);
  if (same(element.got, only) && !has_other_sign) {
    if (held != element.expected && wraps) ++verdict_.overflowed_elements;
    return;
  }
  if (std::isnan(element.got) && std::isinf(element.expected) && overflows(element, on_the_way))
    return;
  element.expected = held;
  note(element, std::abs(element.got - only), hopeless);
}

// bound: bound of the sum; this function adds the bound of the rounding to the result's type.
void Judge::compare(Element element, double bound, OnTheWay on_the_way) {
  const double largest = rounding_.largest, got = element.got;
  if (overflows(element, on_the_way)) return;
  double& expected = element.expected;
  if (rounding_.saturates) expected = std::clamp(expected, -largest, largest);
  const double size = std::abs(expected);
  const bool must_overflow = !rounding_.saturates && size - bound >= rounding_.overflow;
  const bool may_overflow = !rounding_.saturates && size + bound >= rounding_.overflow;
  const bool same_sign = std::signbit(got) == std::signbit(expected);
  if (std::isinf(got) && may_overflow && same_sign) return;
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
  worst_ = element.index;
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
                                  verdict.wrong_elements, checked_elements_, place, verdict.got,
                                  verdict.expected);
    if (verdict.max_error_over_bound < hopeless) {
      verdict.message += fmt::format(", {:.3g} times its bound", verdict.max_error_over_bound);
    }
  } else if (worst_ >= 0) {
    verdict.message = fmt::format(
        "{} rows checked; worst {} = {}, expected {}, at {:.3g} of its bound", verdict.checked_rows,
        place, verdict.got, verdict.expected, verdict.max_error_over_bound);
  } else if (verdict.checked_rows > 0) {
    verdict.message = fmt::format("{} rows checked; every {}element is exact", verdict.checked_rows,
                                  verdict.overflowed_elements > 0 ? "other " : "");
  }
  verdict.message += overflow_text(verdict.overflowed_elements, is_float(arithmetic_.accumulator)
                                                                    ? arithmetic_.partial_sums
                                                                    : arithmetic_.accumulator);
  return verdict;
}

}  // namespace tessera
