#include "kernels/oracle/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/data/convert.h"
#include "core/data/dtype_info.h"
#include "core/report/check.h"
#include "core/report/stop.h"

namespace tessera {
namespace {

constexpr std::int64_t elements_between_stops = std::int64_t{1} << 20;

// Without a finite difference: the largest there is, so that it is the worst.
double difference(double got, double expected) {
  const double error = std::abs(got - expected);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

bool are_same_bytes(const Tensor& got, const Tensor& expected, std::int64_t i) {
  const auto size = static_cast<std::size_t>(size_of(got.dtype()));
  const std::size_t at = static_cast<std::size_t>(i) * size;
  return std::memcmp(got.data() + at, expected.data() + at, size) == 0;
}

double rounded(DType dtype, double value) {
  alignas(8) std::byte element[8];
  store_element(element, dtype, value);
  return load_element(element, dtype);
}

// Half a unit of the last place: what rounding to that type may have taken from a number.
double half_unit(DType dtype, double value) {
  const DTypeInfo& type = dtype_info(dtype);
  if (type.digits == 0) return 0;
  const double least = std::ldexp(0.5, type.least);
  return value == 0 ? least : std::max(least, std::ldexp(1, std::ilogb(value) - type.digits));
}

double allowed(const Tensor& expected, std::int64_t i, const ElementBounds& bounds) {
  return static_cast<double>(bounds[static_cast<std::size_t>(i)]) +
         half_unit(expected.dtype(), expected.at(i));
}

// Counts an element that is right or not.
void count(Comparison& result, std::int64_t i, double error, bool is_right, double& most) {
  if (std::isfinite(error)) result.max_abs_error = std::max(result.max_abs_error, error);
  if (is_right) return;
  if (result.wrong++ == 0) result.first_wrong = i;
  if (error <= most) return;
  most = error;
  result.worst = i;
}

}  // namespace

bool agrees(const Tensor& got, const Tensor& expected, std::int64_t i, const Tolerance& tolerance) {
  // i64 beyond 2^53 has no double of its own.
  if (is_integer(got.dtype()) && got.dtype() == expected.dtype())
    return are_same_bytes(got, expected, i);
  const double a = got.at(i), b = expected.at(i);
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  if (is_integer(got.dtype()) || !std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
}

Agreement agreement(const Tensor& got, const Tensor& expected, std::int64_t i,
                    const ElementBounds& bounds) {
  const double a = got.at(i), b = expected.at(i);
  const bool is_same = a == b || a == rounded(got.dtype(), b) || (std::isnan(a) && std::isnan(b));
  if (is_same) return Agreement::right;
  if (std::isnan(bounds[static_cast<std::size_t>(i)])) return Agreement::unbounded;
  if (!std::isfinite(a) || !std::isfinite(b)) return Agreement::wrong;
  return std::abs(a - b) <= allowed(expected, i, bounds) ? Agreement::right : Agreement::wrong;
}

Comparison compare(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  CHECK(got.shape() == expected.shape() && is_float(got.dtype()) == is_float(expected.dtype()));
  Comparison result;
  result.elements = got.elements();
  double most = -1;  // of wrong elements
  for (std::int64_t i = 0; i < result.elements; ++i) {
    if (i % elements_between_stops == 0) leave_if_stopped();
    count(result, i, difference(got.at(i), expected.at(i)), agrees(got, expected, i, tolerance),
          most);
  }
  return result;
}

Comparison compare_by_bounds(const Tensor& got, const Tensor& expected,
                             const ElementBounds& bounds) {
  CHECK(got.shape() == expected.shape() && is_float(got.dtype()) && is_float(expected.dtype()));
  CHECK(static_cast<std::int64_t>(bounds.size()) == got.elements());
  Comparison result;
  result.elements = got.elements();
  double most = -1;  // of wrong elements
  for (std::int64_t i = 0; i < result.elements; ++i) {
    if (i % elements_between_stops == 0) leave_if_stopped();
    const Agreement found = agreement(got, expected, i, bounds);
    const double error = difference(got.at(i), expected.at(i));
    count(result, i, error, found != Agreement::wrong, most);
    if (found == Agreement::unbounded && result.unbounded++ == 0) result.first_unbounded = i;
    if (found != Agreement::right || !std::isfinite(error) || error == 0) continue;
    const double share = error / allowed(expected, i, bounds);
    if (share <= 1) result.largest_share = std::max(result.largest_share, share);
  }
  return result;
}

}  // namespace tessera
