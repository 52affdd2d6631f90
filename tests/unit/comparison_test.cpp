// Comparison of results with expected results.
#include "kernels/oracle/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tessera {
namespace {

Tensor tensor(DType dtype, const std::vector<double>& values) {
  Tensor result = *Tensor::allocate(dtype, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    result.set(static_cast<std::int64_t>(i), values[i]);
  return result;
}

TEST(Comparison, CountsWrongElementsAndNamesTheFirstAndTheWorst) {
  const Comparison c =
      compare(tensor(DType::f32, {1, 2, 3, 4, 5}), tensor(DType::f32, {1, 2.5, 3, 7, 4.5}), {});
  EXPECT_EQ(c.elements, 5);
  EXPECT_EQ(c.wrong, 3);
  EXPECT_EQ(c.first_wrong, 1);
  EXPECT_EQ(c.worst, 3);
  EXPECT_EQ(c.max_abs_error, 3);
}

TEST(Comparison, AddsBothTolerances) {
  const Tensor got = tensor(DType::f32, {104}), expected = tensor(DType::f32, {100});
  EXPECT_TRUE(agrees(got, expected, 0, {.relative = 0.03, .absolute = 1}));
  EXPECT_FALSE(agrees(got, expected, 0, {.relative = 0.03, .absolute = 0.5}));
  EXPECT_TRUE(agrees(got, expected, 0, {.relative = 0, .absolute = 4}));
}

TEST(Comparison, MeetsInfinitiesAndNanExactly) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Tensor got = tensor(DType::f32, {inf, inf, NAN, NAN, 1});
  const Tensor expected = tensor(DType::f32, {inf, -inf, NAN, 1, inf});
  const Comparison c = compare(got, expected, {.relative = 1, .absolute = 1e30});
  EXPECT_EQ(c.wrong, 3);
  EXPECT_EQ(c.first_wrong, 1);
  EXPECT_EQ(c.max_abs_error, 0);
}

TEST(Comparison, TellsLargeIntegersApart) {
  Tensor got = *Tensor::allocate(DType::i64, {1}), expected = *Tensor::allocate(DType::i64, {1});
  *got.as<std::int64_t>() = (std::int64_t{1} << 53) + 1;
  *expected.as<std::int64_t>() = std::int64_t{1} << 53;
  EXPECT_FALSE(agrees(got, expected, 0, {}));
  EXPECT_TRUE(agrees(tensor(DType::i32, {-3}), tensor(DType::i64, {-3}), 0, {}));
  EXPECT_FALSE(agrees(tensor(DType::i32, {3}), tensor(DType::i64, {4}), 0, {.absolute = 9}));
}

TEST(Comparison, TakesOtherTypesOfTheFamily) {
  EXPECT_EQ(compare(tensor(DType::bf16, {1, 1.5}), tensor(DType::f32, {1, 1.5}), {}).wrong, 0);
}

TEST(Comparison, AddsToABoundHalfAUnitOfTheExpectedNumber) {
  const Tensor got = tensor(DType::f32, {1.25, 1.25, 1.25, 1.25}),
               expected = tensor(DType::bf16, {1, 1, 1, 1});
  // Bounds, in addition to half a unit of bf16 at 1: just sufficient, insufficient, 0, none.
  const float half = 0x1p-8F;
  const Comparison c =
      compare_by_bounds(got, expected, {0.25F - half, 0.2499F - half, 0, std::nanf("")});
  EXPECT_EQ(c.wrong, 2);
  EXPECT_EQ(c.first_wrong, 1);
  EXPECT_EQ(c.unbounded, 1);
  EXPECT_EQ(c.first_unbounded, 3);
  EXPECT_EQ(c.largest_share, 1);
  EXPECT_EQ(c.max_abs_error, 0.25);
}

TEST(Comparison, AcceptsTheNearestNumberOfTheResultsType) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Tensor got = tensor(DType::f16, {inf, 1, inf, NAN, 1, NAN});
  const Tensor expected = tensor(DType::f32, {70000, 1.0001, 60000, NAN, 1.001, 1});
  const ElementBounds none(6, std::nanf(""));
  // An infinity or a NaN on one side only is no error if the result has no bound.
  const std::vector<Agreement> wanted = {Agreement::unbounded, Agreement::right,
                                         Agreement::unbounded, Agreement::right,
                                         Agreement::unbounded, Agreement::unbounded};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(agreement(got, expected, static_cast<std::int64_t>(i), none), wanted[i]) << i;
}

// The largest finite number differs from infinity, and 2^-127 from zero.
TEST(Comparison, DoesNotSaturateTheExpectedNumber) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  struct Pair {
    DType type;
    double got, expected;
    bool is_right;
  };
  for (const Pair& pair : {Pair{DType::e5m2, 57344, inf, false},
                           {DType::e5m2, 57344, 61440, false},
                           {DType::e5m2, 57344, 1e30, false},
                           {DType::e5m2, 57344, 57344, true},
                           {DType::e5m2, 57344, 57000, true},
                           {DType::e4m3, 448, inf, false},
                           {DType::e4m3, 448, 1000, false},
                           {DType::e4m3, 448, 450, true},
                           {DType::e8m0, 0x1p-127, 0, false},
                           {DType::e8m0, 4, 3, false},
                           {DType::e8m0, 4, 4, true},
                           {DType::bf16, 0.30078125, 0.3, true}}) {
    const Tensor got = tensor(pair.type, {pair.got}),
                 expected = tensor(DType::f32, {pair.expected});
    EXPECT_EQ(agreement(got, expected, 0, {0}) == Agreement::right, pair.is_right)
        << name(pair.type) << " " << pair.got << " " << pair.expected;
    EXPECT_EQ(agrees(got, expected, 0, {}), pair.got == expected.at(0));
  }
}

TEST(Comparison, CountsIdenticalElements) {
  const Tensor got = tensor(DType::f32, {0, -0.0, 0, NAN, 1, 2}),
               expected = tensor(DType::f32, {0, -0.0, -0.0, NAN, 1, 3});
  EXPECT_EQ(compare(got, expected, {.absolute = 9}).identical, 4);
  EXPECT_EQ(compare(got, expected, {.absolute = 9}).wrong, 0);
}

}  // namespace
}  // namespace tessera
