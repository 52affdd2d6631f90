// Error bounds of matrix products. The machine adds k products to the accumulator in an order that
// its library chooses. In any such tree, each leaf is rounded at most k times, or k + 1 times with
// the product, so the error of the sum is at most gamma_(k+1) (|c| + |A||B|) (Higham, Accuracy and
// Stability, 3.1). Sums of multiples of one power of two are exact in any order if f32 can
// represent them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/running_error/rules.h"
#include "core/data/dtype_info.h"
#include "interp/tiles/tile_math.h"

namespace tessera::running_error {
namespace {

constexpr double unit = 0x1p-24;
constexpr double min_normal = 0x1p-126;
constexpr int digits = 24;
// Number of i8 products that are added exactly; only their sum is converted to a float.
constexpr std::int64_t terms_of_i8 = 131071;

double gamma(double roundings, double u) { return roundings * u / (1 - roundings * u); }

// Exponent of the lowest bit that is set in any value.
constexpr int no_bit = 1024;  // all are 0
int lowest_bit(const std::vector<float>& values) {
  int lowest = no_bit;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFF;
    if (bits == 0) continue;
    const auto exponent = static_cast<int>(bits >> 23);
    const std::uint32_t mantissa = (bits & 0x7FFFFF) | (exponent > 0 ? 0x800000 : 0);
    lowest = std::min(lowest, std::max(exponent, 1) - 150 + std::countr_zero(mantissa));
  }
  return lowest;
}

// Absolute values of an operand's elements, and their bounds. Both are 0 for elements that are
// infinite or have no known bound; `unknown` has the reason for the row or column.
struct Sizes {
  std::vector<float> sizes, bounds;
  std::vector<Bound> unknown;  // by row of a or column of b: 0 or a reason
  std::vector<float> largest;  // likewise: largest size
  bool is_exact = false;
};

Sizes sizes_of(const Tile& tile, bool by_rows, Rules& rules) {
  const auto rows = static_cast<std::size_t>(tile.shape[0]),
             cols = static_cast<std::size_t>(tile.shape[1]);
  const std::size_t lines = by_rows ? rows : cols;
  Sizes result{std::vector<float>(rows * cols), std::vector<float>(tile.bounds),
               std::vector<Bound>(lines, 0), std::vector<float>(lines, 0), tile.is_exact()};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const std::size_t at = i * cols + j, line = by_rows ? i : j;
      const Bound bound = tile.bound(at);
      const auto size = static_cast<float>(std::abs(tile.values[at]));
      if (is_known(bound) && std::isfinite(size)) {
        result.sizes[at] = size;
        result.largest[line] = std::max(result.largest[line], size);
        continue;
      }
      result.unknown[line] = is_known(bound) ? rules.unknown("a factor is infinite") : bound;
      if (!result.bounds.empty()) result.bounds[at] = 0;
    }
  return result;
}

// A power of two that divides all products and sums. They are exact in a type with `digits` digits
// if they are less than 2^digits times the quantum. There is none if operands may be subnormal,
// because some units replace these by 0.
struct Quantum {
  double size = 0;  // 0: no quantum
  bool is_exact(float all, int digits) const {
    return static_cast<double>(all) < std::ldexp(size, digits);
  }
};

Quantum quantum_of(int a, int b, int acc) {
  if (a == no_bit || b == no_bit) return {std::numeric_limits<double>::max() / 0x1p60};
  const int bit = std::min(a + b, acc);
  return {std::min({a, b, bit}) < -126 ? 0 : std::ldexp(1, bit)};
}

math::Matrix matrix(std::vector<float>& values, std::int64_t rows, std::int64_t cols) {
  return {reinterpret_cast<std::byte*>(values.data()), DType::f32, rows, cols, cols, 1};
}

// |A| e_B + e_A (|B| + e_B); empty: both are exact.
std::vector<float> carried_errors(Sizes& a, Sizes& b, std::int64_t m, std::int64_t k,
                                  std::int64_t n) {
  if (a.is_exact && b.is_exact) return {};
  std::vector<float> carried(static_cast<std::size_t>(m * n), 0);
  if (!b.is_exact)
    math::multiply_add(matrix(carried, m, n), matrix(a.sizes, m, k), matrix(b.bounds, k, n),
                       Math::library);
  if (!a.is_exact) {
    std::vector<float> sum = b.sizes;
    for (std::size_t i = 0; i < b.bounds.size(); ++i) sum[i] += b.bounds[i];
    math::multiply_add(matrix(carried, m, n), matrix(a.bounds, m, k), matrix(sum, k, n),
                       Math::library);
  }
  return carried;
}

}  // namespace

std::vector<Bound> Rules::product(const Tile& acc, const Tile& a, const Tile& b) {
  const std::int64_t m = acc.shape[0], n = acc.shape[1], k = a.shape[1];
  const std::size_t count = acc.elements();
  Sizes x = sizes_of(a, true, *this), y = sizes_of(b, false, *this);
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<float>(std::abs(acc.values[i]));
  const bool is_f32 = acc.dtype == DType::f32;
  const Quantum quantum = quantum_of(lowest_bit(x.sizes), lowest_bit(y.sizes), lowest_bit(all));
  math::multiply_add(matrix(all, m, n), matrix(x.sizes, m, k), matrix(y.sizes, k, n),
                     Math::library);
  const std::vector<float> carried = carried_errors(x, y, m, k, n);
  const bool are_integers = is_integer(a.dtype) && is_integer(b.dtype);
  const auto terms = static_cast<double>(k);
  const double roundings =
      are_integers ? std::ceil(terms / static_cast<double>(terms_of_i8)) + 1 : terms + 1;
  const double lost = gamma(roundings, unit);
  const double more = 1 + 4 * gamma(terms + 3, unit);  // the sums above were rounded as well
  // Matrix units replace subnormal operands and sums by 0.
  const double flushed = is_f32 && !are_integers ? terms * min_normal : 0;
  // Units that truncate terms lose less than one unit in this many digits, so multiples stay exact.
  const int kept = sum_error_ > 0 ? static_cast<int>(-std::log2(sum_error_)) : digits;
  const int other_digits = std::min(kept, other_ ? dtype_info(other_->type).digits : digits);
  std::vector<Bound> bounds(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / static_cast<std::size_t>(n), col = i % static_cast<std::size_t>(n);
    const Bound none = !is_known(acc.bound(i))     ? acc.bound(i)
                       : !is_known(x.unknown[row]) ? x.unknown[row]
                                                   : y.unknown[col];
    const double size = static_cast<double>(all[i]) * more;
    if (!is_known(none)) {
      bounds[i] = none;
      continue;
    }
    if (!std::isfinite(size) || terms * unit > 0.25) {
      bounds[i] = unknown(terms * unit > 0.25 ? "it has too many terms" : "it may overflow f32");
      continue;
    }
    double bound = static_cast<double>(acc.bound(i));
    if (!carried.empty()) bound += static_cast<double>(carried[i]) * more + terms * min_normal;
    const bool is_exact = quantum.is_exact(all[i], digits);
    const bool is_exact_elsewhere = bound == 0 && quantum.is_exact(all[i], other_digits);
    if (!is_f32) {
      if (size + bound >= 0x1p31) bounds[i] = unknown("it may leave i32");
    } else {
      if (!is_exact)
        bound += lost * size + flushed * (1 + static_cast<double>(x.largest[row]) +
                                          static_cast<double>(y.largest[col]));
      if (!is_exact_elsewhere)
        bound += lost_elsewhere(size + bound, (terms + 1) * 1.01) + sum_error_ * (size + bound);
    }
    if (is_known(bounds[i])) bounds[i] = rounded_up(bound);
    if (std::isinf(bounds[i])) bounds[i] = unknown("its error may be larger than any number");
  }
  return bounds;
}

}  // namespace tessera::running_error
