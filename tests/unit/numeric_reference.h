// Reference implementation of the narrow formats, from their definition: values are computed by
// ldexp, and rounding searches the nearest value.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tessera::reference {

struct Format {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint32_t sign() const { return 1U << (exponent_bits + mantissa_bits); }
  int codes() const { return 2 << (exponent_bits + mantissa_bits); }
  // Returns the first magnitude code that is not finite.
  std::uint32_t beyond() const {
    return has_infinity ? sign() - (1U << mantissa_bits) : sign() - 1;
  }

  double finite(std::uint32_t magnitude) const {
    const int exponent = static_cast<int>(magnitude >> mantissa_bits);
    const int fraction = static_cast<int>(magnitude) & ((1 << mantissa_bits) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias() - mantissa_bits);
    return std::ldexp(fraction + (1 << mantissa_bits), exponent - bias() - mantissa_bits);
  }

  double decode(std::uint32_t code) const {
    const std::uint32_t magnitude = code & (sign() - 1);
    double value = std::numeric_limits<double>::quiet_NaN();
    if (magnitude < beyond()) value = finite(magnitude);
    if (has_infinity && magnitude == beyond()) value = std::numeric_limits<double>::infinity();
    return std::copysign(value, code >= sign() ? -1.0 : 1.0);
  }
};

inline constexpr Format bf16{8, 7, true};
inline constexpr Format f16{5, 10, true};
inline constexpr Format e4m3{4, 3, false};
inline constexpr Format e5m2{5, 2, true};

// Rounds by searching the nearest finite value; ties go to the even code. The code after the
// largest finite one has the value that it would have with a wider exponent.
class Encoder {
 public:
  explicit Encoder(Format format) : format_(format) {
    values_.reserve(format.beyond() + 1);
    for (std::uint32_t code = 0; code <= format.beyond(); ++code) {
      values_.push_back(format.finite(code));
    }
  }

  const std::vector<double>& values() const { return values_; }

  // `value` must not be NaN.
  std::uint32_t encode(double value, bool saturate) const {
    const double magnitude = std::abs(value);
    const auto above = std::lower_bound(values_.begin(), values_.end(), magnitude);
    auto code = static_cast<std::uint32_t>(above - values_.begin());
    if (above == values_.end()) {
      code = format_.beyond();
    } else if (code > 0) {
      const double up = *above - magnitude, down = magnitude - values_[code - 1];
      if (down < up || (down == up && code % 2 == 1)) --code;
    }
    if (saturate) code = std::min(code, format_.beyond() - 1);
    return code | (std::signbit(value) ? format_.sign() : 0U);
  }

 private:
  Format format_;
  std::vector<double> values_;
};

// Returns, as F and with both signs: every value of the format, every midpoint, the neighbours of
// both in F, and values beyond the range of the format.
template <typename F>
std::vector<F> critical_values(const Encoder& encoder) {
  std::vector<F> result{F{0}, std::numeric_limits<F>::infinity(), std::numeric_limits<F>::max(),
                        std::numeric_limits<F>::denorm_min(), std::numeric_limits<F>::min()};
  const auto& values = encoder.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double next = i + 1 < values.size() ? values[i + 1] : 2 * values[i];
    for (const double exact : {values[i], (values[i] + next) / 2}) {
      const F value = static_cast<F>(exact);
      result.push_back(value);
      result.push_back(std::nextafter(value, std::numeric_limits<F>::infinity()));
      if (value > 0) result.push_back(std::nextafter(value, F{0}));
    }
  }
  for (std::size_t i = 0, n = result.size(); i < n; ++i) result.push_back(-result[i]);
  return result;
}

// Returns floats with random bits, of every magnitude, including NaN.
inline std::vector<float> random_floats(int count) {
  std::mt19937 random(7);
  std::vector<float> result(static_cast<std::size_t>(count));
  for (float& value : result) value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  return result;
}

}  // namespace tessera::reference
