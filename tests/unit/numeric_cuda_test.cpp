// Conversions, compared with the host versions in the CUDA toolkit's headers.
#include <gtest/gtest.h>

#include "core/data/numeric.h"
#include "tests/unit/numeric_reference.h"

#if TESSERA_HAS_CUDA_HEADERS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace tessera {
namespace {

#if TESSERA_HAS_CUDA_HEADERS

struct Fp8 {
  __nv_fp8_interpretation_t theirs;
  reference::Format format;
  std::uint8_t (*from_float)(float, Overflow);
  std::uint8_t (*from_double)(double, Overflow);
  float (*decode)(std::uint8_t);
};

const Fp8 e4m3{__NV_E4M3, reference::e4m3, to_e4m3<float>, to_e4m3<double>, from_e4m3};
const Fp8 e5m2{__NV_E5M2, reference::e5m2, to_e5m2<float>, to_e5m2<double>, from_e5m2};

constexpr Overflow modes[] = {Overflow::saturate, Overflow::ieee};

__nv_saturation_t theirs(Overflow overflow) {
  return overflow == Overflow::saturate ? __NV_SATFINITE : __NV_NOSAT;
}

// All 2^16 values of both formats, including NaN, with the toolkit's function for each format.
void check_two_byte_formats(const Fp8& fp8) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto code = static_cast<std::uint16_t>(i);
    for (const Overflow overflow : modes) {
      const auto from_bf16_code =
          __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{code}, theirs(overflow), fp8.theirs);
      ASSERT_EQ(fp8.from_float(from_bf16(code), overflow), from_bf16_code) << code;
      const auto from_f16_code =
          __nv_cvt_halfraw_to_fp8(__half_raw{code}, theirs(overflow), fp8.theirs);
      ASSERT_EQ(fp8.from_float(from_f16(code), overflow), from_f16_code) << code;
    }
  }
}

void check_rounding(const Fp8& fp8) {
  const reference::Encoder encoder(fp8.format);
  for (const Overflow overflow : modes) {
    for (const float value : reference::critical_values<float>(encoder)) {
      ASSERT_EQ(fp8.from_float(value, overflow),
                __nv_cvt_float_to_fp8(value, theirs(overflow), fp8.theirs));
    }
    for (const double value : reference::critical_values<double>(encoder)) {
      ASSERT_EQ(fp8.from_double(value, overflow),
                __nv_cvt_double_to_fp8(value, theirs(overflow), fp8.theirs));
    }
    for (const float value : reference::random_floats(200'000)) {
      ASSERT_EQ(fp8.from_float(value, overflow),
                __nv_cvt_float_to_fp8(value, theirs(overflow), fp8.theirs));
    }
  }
}

void check_decode(const Fp8& fp8) {
  for (int i = 0; i < 0x100; ++i) {
    const auto code = static_cast<std::uint8_t>(i);
    const float expected = from_f16(__nv_cvt_fp8_to_halfraw(code, fp8.theirs).x);
    const float value = fp8.decode(code);
    ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << i;
    ASSERT_TRUE(std::isnan(value) || std::signbit(value) == std::signbit(expected)) << i;
  }
}

TEST(NumericCuda, Fp8OfEveryTwoByteValue) {
  check_two_byte_formats(e4m3);
  check_two_byte_formats(e5m2);
}

TEST(NumericCuda, Fp8Rounding) {
  check_rounding(e4m3);
  check_rounding(e5m2);
}

TEST(NumericCuda, Fp8Decode) {
  check_decode(e4m3);
  check_decode(e5m2);
}

// For positive values only, because the toolkit's rounding down keeps the sign. The toolkit cannot
// round to nearest.
void check_scale(float value) {
  for (const Overflow overflow : modes) {
    ASSERT_EQ(to_e8m0(value, ScaleRounding::up, overflow),
              __nv_cvt_float_to_e8m0(value, theirs(overflow), cudaRoundPosInf))
        << std::hexfloat << value;
    if (std::signbit(value)) continue;
    ASSERT_EQ(to_e8m0(value, ScaleRounding::down, overflow),
              __nv_cvt_float_to_e8m0(value, theirs(overflow), cudaRoundZero))
        << std::hexfloat << value;
    const double between = static_cast<double>(value) * (1 + 0x1p-30);
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_e8m0(between, ScaleRounding::up, overflow),
              __nv_cvt_double_to_e8m0(between, theirs(overflow), cudaRoundPosInf))
        << std::hexfloat << between;
  }
}

TEST(NumericCuda, Scales) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) check_scale(from_bf16(static_cast<std::uint16_t>(i)));
  for (const float value : reference::critical_values<float>(reference::Encoder(reference::bf16))) {
    check_scale(value);
  }
  for (const float value : reference::random_floats(200'000)) check_scale(value);
  for (int i = 0; i < 0x100; ++i) {
    const auto code = static_cast<std::uint8_t>(i);
    const float expected = from_bf16(__nv_cvt_e8m0_to_bf16raw(code).x);
    const float value = from_e8m0(code);
    ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << i;
  }
}

// The toolkit converts every NaN to the same code.
TEST(NumericCuda, TwoByteFormats) {
  const auto check = [](auto value) {
    if (std::isnan(value)) return;
    ASSERT_EQ(to_bf16(value), __nv_bfloat16_raw(__nv_bfloat16(value)).x) << std::hexfloat << value;
    ASSERT_EQ(to_f16(value), __half_raw(__half(value)).x) << std::hexfloat << value;
  };
  for (const auto& format : {reference::bf16, reference::f16}) {
    const reference::Encoder encoder(format);
    for (const float value : reference::critical_values<float>(encoder)) check(value);
    for (const double value : reference::critical_values<double>(encoder)) check(value);
  }
  for (const float value : reference::random_floats(200'000)) check(value);
}

#else

class NumericCuda : public testing::Test {
  void SetUp() override { GTEST_SKIP() << "built without the CUDA toolkit's headers"; }
};

// Skipped tests with the same names as above, because a list of tests contains some of these names.
TEST_F(NumericCuda, Fp8OfEveryTwoByteValue) {}
TEST_F(NumericCuda, Fp8Rounding) {}
TEST_F(NumericCuda, Fp8Decode) {}
TEST_F(NumericCuda, Scales) {}
TEST_F(NumericCuda, TwoByteFormats) {}

#endif

}  // namespace
}  // namespace tessera
