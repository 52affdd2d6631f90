// Conversions between narrow formats and float or double, exact to the last bit: one rounding to
// nearest even, also from double. A NaN stays NaN: bf16 and f16 keep its sign and the payload bits
// that fit, and make it quiet. All FP8 NaNs are 0x7F, as in hardware casts.
#pragma once  // public
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tessera {

// Conversion of values beyond the largest finite number to FP8 and E8M0. saturate: the largest
// finite number. ieee: inf for E5M2, NaN for formats without inf. bf16 and f16 always overflow to
// inf.
enum class Overflow : std::uint8_t { saturate, ieee };

// Rounding of a scale to a power of two; `nearest` rounds ties up.
enum class ScaleRounding : std::uint8_t { up, nearest, down };

namespace numeric {  // implementation of the conversions, not part of the API

// Format with a sign, an exponent field with `bias` and `mantissa` bits. The codes below have no
// sign.
struct Format {
  int mantissa;
  int bias;
  int sign_shift;
  std::uint32_t largest;  // largest finite code
  std::uint32_t beyond;   // overflow code: inf, or NaN for formats without inf
  std::uint32_t nan;      // quiet NaN
  bool keeps_payload;     // NaNs keep payload and sign
};

inline constexpr Format bf16{7, 127, 15, 0x7F7F, 0x7F80, 0x7FC0, true};
inline constexpr Format f16{10, 15, 15, 0x7BFF, 0x7C00, 0x7E00, true};
inline constexpr Format e4m3{3, 7, 7, 0x7E, 0x7F, 0x7F, false};
inline constexpr Format e5m2{2, 15, 7, 0x7B, 0x7C, 0x7F, false};

template <typename F>
struct Wide;
template <>
struct Wide<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23, bias = 127;
};
template <>
struct Wide<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52, bias = 1023;
};

// Free of branches, so that loops vectorise.
template <typename Bits>
constexpr Bits select(bool condition, Bits yes, Bits no) {
  const Bits mask = Bits{0} - Bits{condition};
  return (yes & mask) | (no & ~mask);
}

template <Format to, std::floating_point F>
constexpr std::uint32_t narrow(F value, Overflow overflow) {
  using W = Wide<F>;
  using Bits = typename W::Bits;
  constexpr int shift = W::mantissa - to.mantissa;
  constexpr Bits one = 1, infinity = std::bit_cast<Bits>(std::numeric_limits<F>::infinity());
  constexpr Bits min_normal = Bits(W::bias + 1 - to.bias) << W::mantissa;

  const Bits bits = std::bit_cast<Bits>(value);
  const Bits sign = bits >> (8 * sizeof(Bits) - 1);
  const Bits magnitude = bits & ~(one << (8 * sizeof(Bits) - 1));

  const Bits odd = (magnitude >> shift) & 1;
  const Bits rounded = (magnitude + (one << (shift - 1)) - 1 + odd) >> shift;
  Bits code = rounded - (Bits(W::bias - to.bias) << to.mantissa);
  if constexpr (W::bias != to.bias) {
    // One unit in the last place of this anchor is the format's smallest subnormal, so the addition
    // rounds at that bit.
    constexpr Bits anchor = Bits(W::bias + 1 - to.bias + shift) << W::mantissa;
    const Bits small = select(magnitude < min_normal, magnitude, min_normal);
    const F sum = std::bit_cast<F>(small) + std::bit_cast<F>(anchor);
    const Bits subnormal = std::bit_cast<Bits>(sum) - anchor;
    code = select(magnitude < min_normal, subnormal, code);
    // If the exponent range is the same as in F, rounding up past the largest number gives inf
    // without this step.
    const Bits beyond = overflow == Overflow::saturate ? to.largest : to.beyond;
    code = select(code > to.largest, beyond, code);
  }
  const Bits signed_code = code | (sign << to.sign_shift);
  const Bits payload = (magnitude >> shift) & ((one << to.mantissa) - 1);
  const Bits nan = to.keeps_payload ? to.nan | payload | (sign << to.sign_shift) : to.nan;
  return static_cast<std::uint32_t>(select(magnitude > infinity, nan, signed_code));
}

}  // namespace numeric

// Returns the code of the nearest number in the format; values beyond the largest become inf.
template <std::floating_point F>
constexpr std::uint16_t to_bf16(F value) {
  return static_cast<std::uint16_t>(numeric::narrow<numeric::bf16>(value, Overflow::ieee));
}
template <std::floating_point F>
constexpr std::uint16_t to_f16(F value) {
  return static_cast<std::uint16_t>(numeric::narrow<numeric::f16>(value, Overflow::ieee));
}

// Returns the code of the nearest number in the format. `overflow` selects the result for values
// beyond the largest (448 and 57344).
template <std::floating_point F>
constexpr std::uint8_t to_e4m3(F value, Overflow overflow = Overflow::saturate) {
  return static_cast<std::uint8_t>(numeric::narrow<numeric::e4m3>(value, overflow));
}
template <std::floating_point F>
constexpr std::uint8_t to_e5m2(F value, Overflow overflow = Overflow::saturate) {
  return static_cast<std::uint8_t>(numeric::narrow<numeric::e5m2>(value, overflow));
}

// Returns the exact value of a code.
constexpr float from_bf16(std::uint16_t code) {
  return std::bit_cast<float>(std::uint32_t{code} << 16);
}

// Returns the exact value of a code; NaN becomes quiet.
constexpr float from_f16(std::uint16_t code) {
  const std::uint32_t sign = (code & 0x8000U) << 16, magnitude = code & 0x7FFFU;
  // Exact: a subnormal is a whole number of 2^-24.
  const auto subnormal = std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<std::int32_t>(magnitude & 0x3FFU)) * 0x1p-24F);
  const std::uint32_t normal = (magnitude << 13) + ((127U - 15U) << 23);
  const std::uint32_t quiet = std::uint32_t{magnitude > 0x7C00U} << 22;
  const std::uint32_t special = 0x7F800000U | (magnitude << 13) | quiet;
  const std::uint32_t finite = numeric::select(magnitude < 0x400U, subnormal, normal);
  return std::bit_cast<float>(sign | numeric::select(magnitude >= 0x7C00U, special, finite));
}

// Returns the exact value of a code: e5m2 is the upper byte of f16.
constexpr float from_e5m2(std::uint8_t code) {
  return from_f16(static_cast<std::uint16_t>(code << 8));
}

// Returns the exact value of a code.
constexpr float from_e4m3(std::uint8_t code) {
  const std::uint32_t sign = (code & 0x80U) << 24, magnitude = code & 0x7FU;
  const auto subnormal = std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<std::int32_t>(magnitude & 7U)) * 0x1p-9F);
  const std::uint32_t normal = (magnitude << 20) + ((127U - 7U) << 23);
  const std::uint32_t finite = numeric::select(magnitude < 8U, subnormal, normal);
  return std::bit_cast<float>(sign | numeric::select(magnitude == 0x7FU, 0x7FC00000U, finite));
}

// Returns the value of a code: 2^(code - 127); 255 is NaN.
constexpr float from_e8m0(std::uint8_t code) {
  const std::uint32_t bits = code == 0 ? 0x00400000U : std::uint32_t{code} << 23;
  return std::bit_cast<float>(code == 255 ? 0x7FC00000U : bits);
}

// Returns the code of a power of two next to |value|. Values up to 2^-127, including zero, become
// 0. Values that round above 2^127, including inf, become 254, or 255 with Overflow::ieee. NaN
// becomes 255.
template <std::floating_point F>
constexpr std::uint8_t to_e8m0(F value, ScaleRounding rounding = ScaleRounding::up,
                               Overflow overflow = Overflow::saturate) {
  const auto bits =
      std::bit_cast<std::uint64_t>(static_cast<double>(value)) & (~std::uint64_t{0} >> 1);
  constexpr std::uint64_t infinity = std::uint64_t{0x7FF} << 52, half = std::uint64_t{1} << 51;
  if (bits > infinity) return 255;
  if (bits <= std::uint64_t{1023 - 127} << 52) return 0;
  const std::uint64_t fraction = bits & (2 * half - 1);
  const bool larger = rounding == ScaleRounding::up        ? fraction > 0
                      : rounding == ScaleRounding::nearest ? fraction >= half
                                                           : false;
  const std::uint64_t code = (bits >> 52) - (1023 - 127) + (larger ? 1 : 0);
  if (code <= 254) return static_cast<std::uint8_t>(code);
  return overflow == Overflow::saturate ? 254 : 255;
}

// Returns 2^(127 - code), the factor for a block before its cast; NaN for 255.
constexpr float exp2f_rcp(std::uint8_t code) {
  const std::uint32_t bits = code == 254 ? 0x00400000U : (254U - code) << 23;
  return std::bit_cast<float>(code == 255 ? 0x7FC00000U : bits);
}

}  // namespace tessera
