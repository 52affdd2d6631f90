#include "kernels/oracle/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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

Comparison compare(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  CHECK(got.shape() == expected.shape() && is_float(got.dtype()) == is_float(expected.dtype()));
  Comparison result;
  result.elements = got.elements();
  double most = -1;  // of wrong elements
  for (std::int64_t i = 0; i < result.elements; ++i) {
    if (i % elements_between_stops == 0) leave_if_stopped();
    const double error = difference(got.at(i), expected.at(i));
    if (std::isfinite(error)) result.max_abs_error = std::max(result.max_abs_error, error);
    if (agrees(got, expected, i, tolerance)) continue;
    if (result.wrong++ == 0) result.first_wrong = i;
    if (error > most) {
      most = error;
      result.worst = i;
    }
  }
  return result;
}

}  // namespace tessera
