// Conversion of arrays from every type to every other, compared with the scalar conversions and the
// rules.
#include "core/data/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/data/numeric.h"
#include "tests/unit/numeric_reference.h"

namespace tessera {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Returns all codes for types of up to two bytes, otherwise random bits and the ends of the range.
std::vector<std::byte> sample(DType dtype) {
  std::mt19937_64 random(11);
  if (dtype == DType::f32) return bytes_of(reference::random_floats(20'001));
  std::vector<std::byte> bytes;
  const auto add = [&](std::uint64_t value) {
    std::byte element[8];
    std::memcpy(element, &value, 8);
    bytes.insert(bytes.end(), element, element + size_of(dtype));
  };
  if (size_of(dtype) <= 2) {
    for (std::uint64_t code = 0; code < (size_of(dtype) == 1 ? 0x100 : 0x10000); ++code) add(code);
    return bytes;
  }
  for (int i = 0; i < 2'000; ++i) {
    for (const int shift : {0, 10, 20, 40, 60}) add(random() >> shift);
  }
  for (int bit = 0; bit < 64; ++bit) {
    for (int step = -1; step <= 1; ++step)
      add((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(step));
  }
  return bytes;
}

std::vector<std::byte> converted(const std::vector<std::byte>& bytes, DType from, DType to,
                                 Overflow overflow = Overflow::saturate) {
  const auto n = static_cast<std::int64_t>(bytes.size()) / size_of(from);
  std::vector<std::byte> result(static_cast<std::size_t>(n * size_of(to)));
  convert(bytes.data(), from, result.data(), to, n, overflow);
  return result;
}

class ConvertFrom : public testing::TestWithParam<int> {};

// Not for i64 as a source: not all of its values are exact in double.
TEST_P(ConvertFrom, EveryTypeAgreesWithTheScalars) {
  const DType from{static_cast<std::uint8_t>(GetParam())};
  const auto bytes = sample(from);
  for (int i = 0; i < dtype_count; ++i) {
    const DType to{static_cast<std::uint8_t>(i)};
    if (from == DType::i64 && to != from) continue;
    for (const auto overflow : {Overflow::saturate, Overflow::ieee}) {
      const auto result = converted(bytes, from, to, overflow);
      for (std::size_t e = 0; e < bytes.size() / static_cast<std::size_t>(size_of(from)); ++e) {
        const std::byte* source = &bytes[e * static_cast<std::size_t>(size_of(from))];
        std::byte expected[8];
        store_element(expected, to, load_element(source, from), overflow);
        if (from == to) std::memcpy(expected, source, static_cast<std::size_t>(size_of(to)));
        // The conversion to double quiets a signalling NaN.
        if (from == DType::bf16 && to == DType::f32) std::memcpy(expected + 2, source, 2);
        const auto size = static_cast<std::size_t>(size_of(to));
        ASSERT_EQ(std::memcmp(expected, &result[e * size], size), 0)
            << name(from) << " to " << name(to) << ", value " << load_element(source, from);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConvertFrom, testing::Range(0, dtype_count), [](const auto& info) {
  return std::string(name(DType{static_cast<std::uint8_t>(info.param)}));
});

// Lengths around the width of a register, and bytes that are not aligned.
TEST(Convert, ShortAndUnalignedArrays) {
  const auto floats = reference::random_floats(64);
  std::vector<std::byte> source(floats.size() * 4 + 1), result(floats.size() * 2 + 4);
  std::memcpy(source.data() + 1, floats.data(), floats.size() * 4);
  for (std::size_t n = 0; n <= floats.size(); ++n) {
    std::fill(result.begin(), result.end(), std::byte{0xA5});
    convert(source.data() + 1, DType::f32, result.data() + 1, DType::bf16,
            static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
      std::uint16_t code = 0;
      std::memcpy(&code, &result[1 + 2 * i], 2);
      ASSERT_EQ(code, to_bf16(floats[i]));
    }
    ASSERT_EQ(result[0], std::byte{0xA5});
    ASSERT_EQ(result[1 + 2 * n], std::byte{0xA5});
  }
}

TEST(Convert, SpansOfTheHotTypes) {
  const auto floats = reference::random_floats(10'007);
  std::vector<std::uint16_t> bf16(floats.size()), f16(floats.size());
  std::vector<float> from_bf16s(floats.size()), from_f16s(floats.size());
  f32_to_bf16(floats, bf16);
  f32_to_f16(floats, f16);
  bf16_to_f32(bf16, from_bf16s);
  f16_to_f32(f16, from_f16s);
  const auto same = [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  };
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(bf16[i], to_bf16(floats[i]));
    ASSERT_EQ(f16[i], to_f16(floats[i]));
    ASSERT_TRUE(same(from_bf16s[i], from_bf16(bf16[i])));
    ASSERT_TRUE(same(from_f16s[i], from_f16(f16[i])));
  }
}

template <typename T>
T stored(DType dtype, double value, Overflow overflow = Overflow::saturate) {
  T result;
  store_element(reinterpret_cast<std::byte*>(&result), dtype, value, overflow);
  return result;
}

TEST(Convert, FloatToIntegerRoundsToEvenAndSaturates) {
  const auto i8 = [](double value) { return int{stored<std::int8_t>(DType::i8, value)}; };
  EXPECT_EQ(i8(0.5), 0);
  EXPECT_EQ(i8(1.5), 2);
  EXPECT_EQ(i8(2.5), 2);
  EXPECT_EQ(i8(-2.5), -2);
  EXPECT_EQ(i8(126.5), 126);
  EXPECT_EQ(i8(127.4), 127);
  EXPECT_EQ(i8(1000), 127);
  EXPECT_EQ(i8(-128.5), -128);
  EXPECT_EQ(i8(-inf), -128);
  EXPECT_EQ(i8(nan), 0);
  EXPECT_EQ(stored<std::int32_t>(DType::i32, 2147483646.5), 2147483646);
  EXPECT_EQ(stored<std::int32_t>(DType::i32, inf), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(stored<std::uint32_t>(DType::u32, -1), 0U);
  EXPECT_EQ(stored<std::uint32_t>(DType::u32, 4294967295.0), 4294967295U);
  EXPECT_EQ(stored<std::uint32_t>(DType::u32, 1e10), 4294967295U);
  EXPECT_EQ(stored<std::int64_t>(DType::i64, 0x1p63), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(stored<std::int64_t>(DType::i64, -0x1p63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(stored<std::int64_t>(DType::i64, 0x1p53), std::int64_t{1} << 53);
}

template <typename T>
T from_i64(std::int64_t value, DType to) {
  T result;
  convert(reinterpret_cast<const std::byte*>(&value), DType::i64,
          reinterpret_cast<std::byte*>(&result), to, 1);
  return result;
}

TEST(Convert, IntegersSaturate) {
  const auto big = std::int64_t{1} << 40;
  EXPECT_EQ(from_i64<std::int8_t>(200, DType::i8), 127);
  EXPECT_EQ(from_i64<std::int8_t>(-200, DType::i8), -128);
  EXPECT_EQ(from_i64<std::int32_t>(-big, DType::i32), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(from_i64<std::uint32_t>(-big, DType::u32), 0U);
  EXPECT_EQ(from_i64<std::uint32_t>(big, DType::u32), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(from_i64<std::uint32_t>(4000000000, DType::u32), 4000000000U);
}

// A conversion through double would drop the last bit of 2^61 + 2^53 + 1 and then round a tie.
TEST(Convert, IntegersRoundToFloatOnce) {
  const auto just_above_tie = (std::int64_t{1} << 61) + (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(from_i64<std::uint16_t>(just_above_tie, DType::bf16), to_bf16(0x1p61F) + 1);
  EXPECT_EQ(from_i64<std::uint16_t>(just_above_tie - 1, DType::bf16), to_bf16(0x1p61F));
  EXPECT_EQ(from_i64<std::uint16_t>(-just_above_tie, DType::bf16), to_bf16(-0x1p61F) + 1);
  const auto float_tie = (std::int64_t{1} << 61) + (std::int64_t{1} << 37);
  EXPECT_EQ(from_i64<float>(float_tie, DType::f32), 0x1p61F);
  EXPECT_EQ(from_i64<float>(float_tie + 1, DType::f32), 0x1p61F + 0x1p38F);
  EXPECT_EQ(from_i64<std::uint16_t>(std::numeric_limits<std::int64_t>::min(), DType::bf16),
            to_bf16(-0x1p63F));
  EXPECT_EQ(from_i64<std::uint16_t>(2049, DType::f16), to_f16(2048.F));
  EXPECT_EQ(from_i64<std::uint16_t>(65520, DType::f16), 0x7C00);
  EXPECT_EQ(from_i64<std::uint8_t>(1000, DType::e4m3), 0x7E);
  EXPECT_EQ(from_i64<std::uint8_t>((std::int64_t{1} << 62) + 1, DType::e8m0), 127 + 63);
  EXPECT_EQ(from_i64<std::uint8_t>(std::int64_t{1} << 62, DType::e8m0), 127 + 62);
}

TEST(Convert, OverflowIsSelectable) {
  EXPECT_EQ(stored<std::uint8_t>(DType::e4m3, 1e9), 0x7E);
  EXPECT_EQ(stored<std::uint8_t>(DType::e4m3, 1e9, Overflow::ieee), 0x7F);
  EXPECT_EQ(stored<std::uint8_t>(DType::e5m2, 1e9, Overflow::ieee), 0x7C);
  EXPECT_EQ(stored<std::uint8_t>(DType::e8m0, inf), 254);
  EXPECT_EQ(stored<std::uint8_t>(DType::e8m0, inf, Overflow::ieee), 255);
  EXPECT_EQ(stored<std::uint16_t>(DType::f16, 1e9), 0x7C00);
}

}  // namespace
}  // namespace tessera
