// E8M0 scales: all codes, the three roundings, and the amax element of an MXFP8 block.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/data/numeric.h"
#include "tests/unit/numeric_reference.h"

namespace tessera {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Scale, DecodesEveryCode) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(from_e8m0(static_cast<std::uint8_t>(code)), std::ldexp(1.0, code - 127)) << code;
  }
  EXPECT_TRUE(std::isnan(from_e8m0(255)));
}

TEST(Scale, ReciprocalOfEveryCode) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(exp2f_rcp(static_cast<std::uint8_t>(code)), std::ldexp(1.0, 127 - code)) << code;
  }
  EXPECT_EQ(std::bit_cast<std::uint32_t>(exp2f_rcp(254)), 0x00400000U);
  EXPECT_TRUE(std::isnan(exp2f_rcp(255)));
}

// Returns the expected code, by searching the powers of two.
int expected_code(double value, ScaleRounding rounding) {
  const double magnitude = std::abs(value);
  int above = 0;
  while (above < 255 && std::ldexp(1.0, above - 127) < magnitude) ++above;
  const double power = std::ldexp(1.0, above - 127);
  if (above == 0 || power == magnitude || rounding == ScaleRounding::up) return above;
  const bool nearer_above = power - magnitude <= magnitude - power / 2;
  return rounding == ScaleRounding::nearest && nearer_above ? above : above - 1;
}

template <typename F>
void check_value(F value) {
  for (const auto rounding : {ScaleRounding::up, ScaleRounding::nearest, ScaleRounding::down}) {
    const bool beyond = std::isinf(value) || static_cast<double>(std::abs(value)) >= 0x1p128;
    const int expected = beyond ? 255 : expected_code(value, rounding);
    ASSERT_EQ(to_e8m0(value, rounding, Overflow::ieee), expected) << std::hexfloat << value;
    ASSERT_EQ(to_e8m0(value, rounding), std::min(expected, 254)) << std::hexfloat << value;
    ASSERT_EQ(to_e8m0(-value, rounding), std::min(expected, 254)) << std::hexfloat << value;
  }
}

template <typename F>
void check_around(double exact) {
  const F value = static_cast<F>(exact);
  check_value(value);
  check_value(std::nextafter(value, std::numeric_limits<F>::infinity()));
  check_value(std::nextafter(value, F{0}));
}

TEST(Scale, RoundsAtEveryPowerAndMidpoint) {
  for (int exponent = -149; exponent <= 127; ++exponent) {
    for (const double factor : {1.0, 1.25, 1.5, 1.75}) {
      check_around<float>(std::ldexp(factor, exponent));
      check_around<double>(std::ldexp(factor, exponent));
    }
  }
  for (const double value : {0x1p128, 0x1p1000, 0x1p-1000, 0.0}) check_around<double>(value);
  for (const float value : {0.0F, inf, std::numeric_limits<float>::max()}) check_value(value);
  for (std::uint32_t code = 0; code < 0x7F80; ++code) {
    check_value(from_bf16(static_cast<std::uint16_t>(code)));
  }
}

TEST(Scale, NanIs255) {
  for (const auto rounding : {ScaleRounding::up, ScaleRounding::nearest, ScaleRounding::down}) {
    EXPECT_EQ(to_e8m0(nan, rounding), 255);
    EXPECT_EQ(to_e8m0(-nan, rounding), 255);
  }
}

// TransformerEngine's rule, which is stated in bits of float.
TEST(Scale, RoundingUpIsTheRuleOfMxfp8) {
  const auto rule = [](float value) -> int {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return 255;
    if (std::isinf(value)) return 254;
    if (value == 0) return 0;
    const std::uint32_t exponent = bits >> 23, mantissa = bits & 0x7FFFFF;
    const bool up = mantissa > 0 && exponent != 254 && !(exponent == 0 && mantissa <= 0x400000);
    return static_cast<int>(exponent + (up ? 1 : 0));
  };
  for (const float value : reference::random_floats(500'000)) {
    ASSERT_EQ(to_e8m0(std::abs(value)), rule(std::abs(value))) << std::hexfloat << value;
  }
}

TEST(Scale, GoldenTable) {
  struct Row {
    float amax;
    int e4m3_scale, e4m3_code, e5m2_scale, e5m2_code;
  };
  const Row rows[] = {
      {0, 0, 0x00, 0, 0x00},
      {1e-45F, 0, 0x00, 0, 0x00},
      {1e-38F, 0, 0x3E, 0, 0x3F},
      {1, 119, 0x78, 112, 0x78},
      {3, 120, 0x7C, 113, 0x7A},
      {6, 121, 0x7C, 114, 0x7A},
      {447, 127, 0x7E, 120, 0x7B},
      {448, 127, 0x7E, 120, 0x7B},
      {448.0001F, 128, 0x76, 121, 0x77},
      {449, 128, 0x76, 121, 0x77},
      {896, 128, 0x7E, 121, 0x7B},
      {57344, 134, 0x7E, 127, 0x7B},
      {1e10F, 152, 0x79, 145, 0x79},
      {3.4e38F, 247, 0x78, 240, 0x78},
      {inf, 254, 0x7E, 254, 0x7B},
      {nan, 255, 0x7F, 255, 0x7F},
  };
  for (const Row& row : rows) {
    const std::uint8_t e4m3 = to_e8m0(row.amax * static_cast<float>(1.0 / 448));
    const std::uint8_t e5m2 = to_e8m0(row.amax * static_cast<float>(1.0 / 57344));
    EXPECT_EQ(e4m3, row.e4m3_scale) << row.amax;
    EXPECT_EQ(to_e4m3(row.amax * exp2f_rcp(e4m3)), row.e4m3_code) << row.amax;
    EXPECT_EQ(e5m2, row.e5m2_scale) << row.amax;
    EXPECT_EQ(to_e5m2(row.amax * exp2f_rcp(e5m2)), row.e5m2_code) << row.amax;
  }
}

// amax * (float)(1/largest) and amax / largest give the same scale.
TEST(Scale, ReciprocalOfTheLargestGivesTheSameScale) {
  for (const float random : reference::random_floats(300'000)) {
    const float amax = std::abs(random);
    ASSERT_EQ(to_e8m0(amax * static_cast<float>(1.0 / 448)), to_e8m0(amax / 448)) << amax;
    ASSERT_EQ(to_e8m0(amax * static_cast<float>(1.0 / 57344)), to_e8m0(amax / 57344)) << amax;
  }
}

}  // namespace
}  // namespace tessera
