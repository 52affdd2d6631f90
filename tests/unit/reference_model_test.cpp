// The results of XLA on a CPU for denormals and exp2 are within the bounds of --expected-by
// xla-cpu, and the bounds are tight.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/running_error/rules.h"

namespace tessera::running_error {
namespace {

constexpr double half_unit = 0x1p-24;  // relative, for f32

class XlaOnACpu : public testing::Test {
 protected:
  static double bound(const Number& x) { return static_cast<double>(x.bound); }

  Reasons reasons;
  Rules xla{ReferenceModel(DType::f32, true), reasons};
  Rules rounded{ReferenceModel(DType::f32), reasons};
  Rules exact{std::nullopt, reasons};
};

TEST_F(XlaOnACpu, a_denormal_operand_may_be_0) {
  EXPECT_TRUE(xla.flushes());
  EXPECT_FALSE(rounded.flushes());
  EXPECT_FALSE(exact.flushes());
  for (const double denormal : {1e-40, -1e-40, 0x1p-149, 1.17e-38})
    EXPECT_GE(bound(Rules::flushed({denormal, 0})), std::abs(denormal));
  // A normal number whose bound includes denormals.
  EXPECT_GE(bound(Rules::flushed({1.2e-38, 1e-38F})), 1.2e-38);
  for (const double other : {0.0, 1.0, -3e38, 0x1p-126, -0x1p-126})
    EXPECT_EQ(Rules::flushed({other, 0}).bound, 0);
  EXPECT_EQ(Rules::flushed({1, 0.5F}).bound, 0.5F);
}

TEST_F(XlaOnACpu, a_denormal_result_may_be_0) {
  const Number product = xla.binary(Binary::mul, {1e-20, 0}, {1e-20, 0});
  EXPECT_GE(bound(product), product.value);
  EXPECT_LT(bound(rounded.binary(Binary::mul, {1e-20, 0}, {1e-20, 0})), 0.01 * product.value);
  const Number power = xla.function(Function::exp, {-100, 0});
  EXPECT_GE(bound(power), power.value);
  EXPECT_LT(bound(rounded.function(Function::exp, {-100, 0})), power.value);
  const Number sum = xla.sum({{1e-40, 0}, {2e-40, 0}, {-1e-40, 0}}, false);
  EXPECT_GE(bound(sum), sum.value);
}

TEST_F(XlaOnACpu, numbers_that_are_not_denormal_have_the_bound_of_the_type) {
  const Number x = xla.binary(Binary::mul, {3, 0}, {7, 0}),
               y = rounded.binary(Binary::mul, {3, 0}, {7, 0});
  EXPECT_NEAR(bound(x), bound(y), 1e-12);
  EXPECT_NEAR(bound(xla.function(Function::exp, {1.5, 0})),
              bound(rounded.function(Function::exp, {1.5, 0})), 1e-12);
}

// Measured: 17 half units at -32, 67 at 100.
TEST_F(XlaOnACpu, exp2_is_computed_as_exp) {
  for (const auto& [x, measured] : {std::pair(-32.0, 17.0), {100.0, 67.0}, {1.5, 0.0}}) {
    const double units = bound(xla.function(Function::exp2, {x, 0})) / std::exp2(x) / half_unit;
    EXPECT_GT(units, measured) << x;
    EXPECT_LT(units, 0.74 * std::abs(x) + 12) << x;
    EXPECT_LT(bound(rounded.function(Function::exp2, {x, 0})) / std::exp2(x) / half_unit, 12) << x;
  }
}

}  // namespace
}  // namespace tessera::running_error
