// Every code of every narrow format, and the values near rounding boundaries.
#include "core/data/numeric.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/unit/numeric_reference.h"

namespace tessera {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

void expect_same(double actual, double expected, std::uint32_t code) {
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(actual)) << "code " << code;
  } else {
    ASSERT_EQ(actual, expected) << "code " << code;
  }
  ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << "code " << code;
}

// Compares decode(code) with the definition for all codes. Encoding returns every code except NaN.
template <typename Decode, typename Encode>
void check_decode(const reference::Format& format, Decode decode, Encode encode) {
  for (int i = 0; i < format.codes(); ++i) {
    const auto code = static_cast<std::uint32_t>(i);
    const float value = decode(code);
    expect_same(value, format.decode(code), code);
    const std::uint32_t back = encode(value);
    ASSERT_EQ(back, encode(static_cast<double>(value))) << "code " << code;
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(decode(back))) << "code " << code;
    } else {
      ASSERT_EQ(back, code);
    }
  }
}

template <typename F, typename Encode>
void check_rounding(const reference::Encoder& encoder, Encode encode, bool saturate) {
  for (const F value : reference::critical_values<F>(encoder)) {
    ASSERT_EQ(encode(value), encoder.encode(value, saturate)) << std::hexfloat << value;
  }
}

template <typename Encode>
void check_encode(const reference::Format& format, Encode encode, bool saturate) {
  const reference::Encoder encoder(format);
  check_rounding<float>(encoder, encode, saturate);
  check_rounding<double>(encoder, encode, saturate);
  for (const float value : reference::random_floats(200'000)) {
    if (std::isnan(value)) continue;
    ASSERT_EQ(encode(value), encoder.encode(value, saturate)) << std::hexfloat << value;
    const double between = value * (1 + 0x1p-40);
    ASSERT_EQ(encode(between), encoder.encode(between, saturate)) << std::hexfloat << between;
  }
}

const auto encode_bf16 = [](auto value) { return std::uint32_t{to_bf16(value)}; };
const auto encode_f16 = [](auto value) { return std::uint32_t{to_f16(value)}; };

template <Overflow overflow>
struct EncodeE4m3 {
  std::uint32_t operator()(auto value) const { return to_e4m3(value, overflow); }
};
template <Overflow overflow>
struct EncodeE5m2 {
  std::uint32_t operator()(auto value) const { return to_e5m2(value, overflow); }
};

std::uint16_t low16(std::uint32_t code) { return static_cast<std::uint16_t>(code); }
std::uint8_t low8(std::uint32_t code) { return static_cast<std::uint8_t>(code); }

TEST(Numeric, DecodesEveryCode) {
  check_decode(
      reference::bf16, [](auto code) { return from_bf16(low16(code)); }, encode_bf16);
  check_decode(
      reference::f16, [](auto code) { return from_f16(low16(code)); }, encode_f16);
  check_decode(
      reference::e4m3, [](auto code) { return from_e4m3(low8(code)); },
      EncodeE4m3<Overflow::ieee>{});
  check_decode(
      reference::e5m2, [](auto code) { return from_e5m2(low8(code)); },
      EncodeE5m2<Overflow::ieee>{});
}

TEST(Numeric, RoundsBf16) { check_encode(reference::bf16, encode_bf16, false); }
TEST(Numeric, RoundsF16) { check_encode(reference::f16, encode_f16, false); }
TEST(Numeric, RoundsE4m3Saturating) {
  check_encode(reference::e4m3, EncodeE4m3<Overflow::saturate>{}, true);
}
TEST(Numeric, RoundsE4m3Ieee) {
  check_encode(reference::e4m3, EncodeE4m3<Overflow::ieee>{}, false);
}
TEST(Numeric, RoundsE5m2Saturating) {
  check_encode(reference::e5m2, EncodeE5m2<Overflow::saturate>{}, true);
}
TEST(Numeric, RoundsE5m2Ieee) {
  check_encode(reference::e5m2, EncodeE5m2<Overflow::ieee>{}, false);
}

// All 2^16 values of both two-byte formats, NaN included, to both FP8 formats in both modes.
TEST(Numeric, TwoByteFormatsToFp8) {
  const reference::Encoder e4m3(reference::e4m3), e5m2(reference::e5m2);
  const auto check = [&](float value) {
    if (std::isnan(value)) {
      for (const auto overflow : {Overflow::saturate, Overflow::ieee}) {
        ASSERT_EQ(to_e4m3(value, overflow), 0x7F);
        ASSERT_EQ(to_e5m2(value, overflow), 0x7F);
      }
      return;
    }
    ASSERT_EQ(to_e4m3(value), e4m3.encode(value, true)) << value;
    ASSERT_EQ(to_e4m3(value, Overflow::ieee), e4m3.encode(value, false)) << value;
    ASSERT_EQ(to_e5m2(value), e5m2.encode(value, true)) << value;
    ASSERT_EQ(to_e5m2(value, Overflow::ieee), e5m2.encode(value, false)) << value;
  };
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    check(from_bf16(low16(code)));
    check(from_f16(low16(code)));
  }
}

TEST(Numeric, Fp8Samples) {
  const auto e4m3 = [](float value) { return int{to_e4m3(value)}; };
  EXPECT_EQ(e4m3(1), 0x38);
  EXPECT_EQ(e4m3(1.0625F), 0x38);
  EXPECT_EQ(e4m3(1.1875F), 0x3A);
  EXPECT_EQ(e4m3(15.0F / 16 * 0x1p-6F), 0x08);
  EXPECT_EQ(e4m3(464), 0x7E);
  EXPECT_EQ(e4m3(464.00003F), 0x7E);
  EXPECT_EQ(to_e4m3(464.F, Overflow::ieee), 0x7E);
  EXPECT_EQ(to_e4m3(464.00003F, Overflow::ieee), 0x7F);
  EXPECT_EQ(to_e4m3(-inf), 0xFE);
  EXPECT_EQ(to_e4m3(-inf, Overflow::ieee), 0xFF);
  EXPECT_EQ(to_e5m2(-inf), 0xFB);
  EXPECT_EQ(to_e5m2(-inf, Overflow::ieee), 0xFC);
  EXPECT_EQ(to_e5m2(std::nextafter(61440.F, 0.F), Overflow::ieee), 0x7B);
  EXPECT_EQ(to_e5m2(61440.F, Overflow::ieee), 0x7C);
  EXPECT_EQ(to_e4m3(0x1p-10F), 0);
  EXPECT_EQ(to_e4m3(std::nextafter(0x1p-10F, 1.F)), 1);
  EXPECT_EQ(to_e5m2(0x1p-17F), 0);
  EXPECT_EQ(to_e5m2(std::nextafter(0x1p-17F, 1.F)), 1);
  EXPECT_EQ(to_e4m3(-0.0F), 0x80);
  EXPECT_EQ(to_e4m3(nan), 0x7F);
}

// Rounding to float first would give a tie and lose the last bit.
TEST(Numeric, DoublesRoundOnce) {
  EXPECT_EQ(to_bf16(1 + 0x1p-8 + 0x1p-40), 0x3F81);
  EXPECT_EQ(to_bf16(1 + 0x1p-8), 0x3F80);
  EXPECT_EQ(to_f16(1 + 0x1p-11 + 0x1p-40), 0x3C01);
  EXPECT_EQ(to_f16(0x1p-25 + 0x1p-60), 1);
  EXPECT_EQ(to_e4m3(1.0625 + 0x1p-40), 0x39);
  EXPECT_EQ(to_e4m3(464 + 0x1p-40, Overflow::ieee), 0x7F);
  EXPECT_EQ(to_e5m2(61440 - 0x1p-35, Overflow::ieee), 0x7B);
  EXPECT_EQ(to_bf16(0x1p-134 + 0x1p-180), 1);
  EXPECT_EQ(to_bf16(0x1p-134), 0);
}

TEST(Numeric, NanKeepsSignAndPayloadInTwoBytes) {
  const auto quiet = std::bit_cast<float>(0xFFE10000U);
  EXPECT_EQ(to_bf16(quiet), 0xFFE1);
  EXPECT_EQ(to_f16(quiet), 0xFF08);
  EXPECT_EQ(to_e5m2(quiet), 0x7F);
  EXPECT_EQ(to_e4m3(quiet), 0x7F);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(from_f16(0xFF08)), 0xFFE10000U);
  const auto signalling = std::bit_cast<float>(0x7F800001U);
  EXPECT_EQ(to_bf16(signalling), 0x7FC0);
  EXPECT_EQ(to_f16(signalling), 0x7E00);
}

TEST(Numeric, AgreesWithEigen) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const auto bf16 = Eigen::numext::bit_cast<Eigen::bfloat16>(low16(code));
    const auto f16 = Eigen::numext::bit_cast<Eigen::half>(low16(code));
    expect_same(from_bf16(low16(code)), static_cast<float>(bf16), code);
    expect_same(from_f16(low16(code)), static_cast<float>(f16), code);
  }
  for (const float value : reference::random_floats(500'000)) {
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_bf16(value), Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(value)));
    ASSERT_EQ(to_f16(value), Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(value)));
  }
}

}  // namespace
}  // namespace tessera
