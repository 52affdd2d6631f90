// The error rules of functions and bits: for arguments within their bounds, the result is within
// its bound.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/running_error/rules.h"

namespace tessera::running_error {
namespace {

using Real = long double;

struct Sample {
  Function f;
  Real (*value)(Real);
  double from, to;
};

const Sample samples[] = {
    {Function::exp2, [](Real x) { return std::exp2(x); }, -20, 20},
    {Function::expm1, [](Real x) { return std::expm1(x); }, -20, 20},
    {Function::log1p, [](Real x) { return std::log1p(x); }, -0.9, 20},
    {Function::logistic, [](Real x) { return 1 / (1 + std::exp(-x)); }, -30, 30},
    {Function::erfc, [](Real x) { return std::erfc(x); }, -5, 8},
    {Function::sin, [](Real x) { return std::sin(x); }, -40, 40},
    {Function::cos, [](Real x) { return std::cos(x); }, -40, 40},
    {Function::sqrt, [](Real x) { return std::sqrt(x); }, 0, 50},
    {Function::floor, [](Real x) { return std::floor(x); }, -5, 5},
    {Function::ceil, [](Real x) { return std::ceil(x); }, -5, 5},
    {Function::round, [](Real x) { return std::nearbyint(x); }, -5, 5},
    {Function::sign, [](Real x) { return x > 0   ? Real{1}
                                         : x < 0 ? Real{-1}
                                                 : x; }, -1, 1},
};

TEST(ErrorRules, FunctionsHoldTheirArgumentsErrors) {
  std::mt19937_64 rng(31);
  Reasons reasons;
  Rules rules(std::nullopt, reasons);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (const Sample& sample : samples) {
    int known = 0;
    std::uniform_real_distribution<double> range(sample.from, sample.to);
    for (int i = 0; i < 2000; ++i) {
      const auto x = static_cast<double>(static_cast<float>(range(rng)));
      const Bound bound = i % 3 == 0 ? 0 : std::ldexp(1.0F, -1 - static_cast<int>(rng() % 20));
      const Number got = rules.function(sample.f, {x, bound});
      if (!is_known(got.bound)) continue;
      ++known;
      for (int j = 0; j < 5; ++j) {
        const Real at = Real{x} + (j < 2 ? (j == 0 ? -1 : 1) : Real{unit(rng)}) * Real{bound};
        const Real error = std::abs(sample.value(at) - Real{got.value});
        ASSERT_LE(error, Real{got.bound} * (1 + 1e-9L) + 1e-18L)
            << static_cast<int>(sample.f) << " at " << x << " +- " << bound;
      }
    }
    EXPECT_GT(known, 1500) << static_cast<int>(sample.f);
  }
}

TEST(ErrorRules, PowersHoldTheirArgumentsErrors) {
  std::mt19937_64 rng(32);
  Reasons reasons;
  Rules rules(std::nullopt, reasons);
  std::uniform_real_distribution<double> unit(-1, 1);
  int known = 0;
  for (int i = 0; i < 20000; ++i) {
    const bool is_whole = i % 2 == 0;
    const auto a = static_cast<double>(static_cast<float>(unit(rng) * 4 + (is_whole ? 0 : 4.5)));
    const auto b = static_cast<double>(
        static_cast<float>(is_whole ? std::trunc(unit(rng) * 6) : unit(rng) * 4));
    const Bound of_a = i % 3 == 0 ? 0 : std::ldexp(1.0F, -2 - static_cast<int>(rng() % 20));
    const Bound of_b = is_whole ? 0 : std::ldexp(1.0F, -2 - static_cast<int>(rng() % 20));
    const Number got = rules.power({a, of_a}, {b, of_b});
    if (!is_known(got.bound)) continue;
    ++known;
    for (int j = 0; j < 5; ++j) {
      const Real x = Real{a} + Real{unit(rng)} * Real{of_a},
                 y = Real{b} + Real{unit(rng)} * Real{of_b};
      const Real error = std::abs(std::pow(x, y) - Real{got.value});
      ASSERT_LE(error, Real{got.bound} * (1 + 1e-9L) + 1e-18L) << a << "^" << b;
    }
  }
  EXPECT_GT(known, 15000);
}

TEST(ErrorRules, TruthsThatRoundingDecidesStayTruths) {
  Reasons reasons;
  Rules rules(std::nullopt, reasons);
  const auto bits = [&](Integers op, Number a, Number b) {
    return rules.of_bits(op, a, b, DType::i32);
  };
  EXPECT_EQ(bits(Integers::bit_and, {1, 1}, {0, 0}).bound, 0);
  EXPECT_EQ(bits(Integers::bit_and, {1, 1}, {1, 0}).bound, 1);
  EXPECT_EQ(bits(Integers::bit_or, {0, 1}, {1, 0}).bound, 0);
  EXPECT_EQ(bits(Integers::bit_xor, {0, 1}, {1, 0}).bound, 1);
  EXPECT_EQ(bits(Integers::shift_left, {3, 0}, {2, 0}).value, 12);
  EXPECT_FALSE(is_known(bits(Integers::shift_left, {3, 1}, {2, 0}).bound));
  EXPECT_FALSE(is_known(bits(Integers::bit_and, {3, 1}, {2, 0}).bound));
}

TEST(ErrorRules, CutsHoldWhatTheirArgumentsMayBe) {
  Reasons reasons;
  Rules rules(std::nullopt, reasons);
  EXPECT_EQ(rules.cut_off({2.75, 0.125F}, DType::f32, DType::i32).bound, 0);
  EXPECT_FLOAT_EQ(rules.cut_off({2.75, 0.5F}, DType::f32, DType::i32).bound, 1);
  EXPECT_EQ(rules.cut_off({300, 50}, DType::f32, DType::i8).bound, 0) << "saturates";
  EXPECT_EQ(rules.cut_off({100, 1}, DType::i32, DType::i8).bound, 1);
  EXPECT_FALSE(is_known(rules.cut_off({127, 1}, DType::i32, DType::i8).bound));
  EXPECT_EQ(rules.cut_off({300, 0}, DType::i32, DType::u8).value, 44);
}

}  // namespace
}  // namespace tessera::running_error
