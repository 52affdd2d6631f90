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

// Infinity if the difference is not finite, so that it is the largest.
double difference(double got, double expected) {
  const double error = std::abs(got - expected);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

bool are_same_bytes(const Tensor& got, const Tensor& expected, std::int64_t i) {
  const auto size = static_cast<std::size_t>(size_of(got.dtype()));
  const std::size_t at = static_cast<std::size_t>(i) * size;
  return std::memcmp(got.data() + at, expected.data() + at, size) == 0;
}

// True if `got` is finite and the number of its type nearest to `expected`. If `expected` only
// becomes the largest number by saturation, that number is not the nearest.
bool is_nearest(DType dtype, double got, double expected) {
  if (dtype_info(dtype).digits == 0 || !std::isfinite(got)) return false;
  alignas(8) std::byte element[8];
  store_element(element, dtype, expected, Overflow::ieee);
  return load_element(element, dtype) == got;
}

// True if the bytes can be compared. i64 beyond 2^53 is not exact as a double.
bool are_integers_of_one_type(const Tensor& got, const Tensor& expected) {
  return is_integer(got.dtype()) && got.dtype() == expected.dtype();
}

bool is_identical(const Tensor& got, const Tensor& expected, std::int64_t i) {
  if (are_integers_of_one_type(got, expected)) return are_same_bytes(got, expected, i);
  const double a = got.at(i), b = expected.at(i);
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

// Half a unit in the last place: the largest error of rounding `value` to this type.
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

// Counts an element as right or wrong.
void count(Comparison& result, const Tensor& got, const Tensor& expected, std::int64_t i,
           bool is_right, double& most) {
  const double error = difference(got.at(i), expected.at(i));
  if (is_identical(got, expected, i)) ++result.identical;
  if (std::isfinite(error)) result.max_abs_error = std::max(result.max_abs_error, error);
  if (is_right) return;
  if (result.wrong++ == 0) result.first_wrong = i;
  if (error <= most) return;
  most = error;
  result.worst = i;
}

}  // namespace

bool agrees(const Tensor& got, const Tensor& expected, std::int64_t i, const Tolerance& tolerance) {
  if (are_integers_of_one_type(got, expected)) return are_same_bytes(got, expected, i);
  const double a = got.at(i), b = expected.at(i);
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  if (is_integer(got.dtype()) || !std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
}

Agreement agreement(const Tensor& got, const Tensor& expected, std::int64_t i,
                    const ElementBounds& bounds) {
  const double a = got.at(i), b = expected.at(i);
  const bool is_same = a == b || (std::isnan(a) && std::isnan(b));
  if (is_same || is_nearest(got.dtype(), a, b)) return Agreement::right;
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
    count(result, got, expected, i, agrees(got, expected, i, tolerance), most);
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
    count(result, got, expected, i, found != Agreement::wrong, most);
    if (found == Agreement::unbounded && result.unbounded++ == 0) result.first_unbounded = i;
    if (found != Agreement::right || !std::isfinite(error) || error == 0) continue;
    const double share = error / allowed(expected, i, bounds);
    if (share <= 1) result.largest_share = std::max(result.largest_share, share);
  }
  return result;
}

}  // namespace tessera
