// P. J. Acklam's rational approximation of the inverse normal distribution, with its own logarithm
// for the tails.
#include <bit>
#include <cmath>

#include "kernels/inputs/fill.h"

namespace tessera {
namespace {

constexpr double central_numerator[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                                        -2.759285104469687e+02, 1.383577518672690e+02,
                                        -3.066479806614716e+01, 2.506628277459239e+00};
constexpr double central_denominator[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                                          -1.556989798598866e+02, 6.680131188771972e+01,
                                          -1.328068155288572e+01, 1};
constexpr double tail_numerator[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                                     -2.400758277161838e+00, -2.549732539343734e+00,
                                     4.374664141464968e+00,  2.938163982698783e+00};
constexpr double tail_denominator[] = {7.784695709041462e-03, 3.224671290700398e-01,
                                       2.445134137142996e+00, 3.754408661907416e+00, 1};

template <int n>
double horner(const double (&coefficients)[n], double x) {
  double sum = coefficients[0];
  for (int i = 1; i < n; ++i) sum = sum * x + coefficients[i];
  return sum;
}

// log(x) of a positive normal x: 2 atanh((f - 1) / (f + 1)) + e log 2, for x = f 2^e with f in
// [sqrt(1/2), sqrt(2)).
double logarithm(double x) {
  constexpr std::uint64_t half_root = 0x3FE6A09E667F3BCD;  // sqrt(1/2)
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::int64_t>(bits - half_root) >> 52;
  const double f = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  const double t = (f - 1) / (f + 1), square = t * t;
  double sum = 0;
  for (int i = 21; i >= 1; i -= 2) sum = sum * square + 1.0 / i;
  return 2 * t * sum + static_cast<double>(exponent) * 0.69314718055994530942;
}

double lower_tail(double p) {
  const double q = std::sqrt(-2 * logarithm(p));
  return horner(tail_numerator, q) / horner(tail_denominator, q);
}

}  // namespace

double normal_quantile(double p) {
  constexpr double edge = 0.02425;
  if (p < edge) return lower_tail(p);
  if (p > 1 - edge) return -lower_tail(1 - p);
  const double q = p - 0.5, square = q * q;
  return horner(central_numerator, square) * q / horner(central_denominator, square);
}

}  // namespace tessera
