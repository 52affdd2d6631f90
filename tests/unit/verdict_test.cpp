#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/inputs/fill.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {
namespace {

using Values = Arithmetic::Values;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Tensor made(DType dtype, Shape shape, FillRole role, std::uint64_t seed, Fill kind) {
  Tensor tensor(dtype, std::move(shape));
  fill(tensor, kind, role, 64, seed);
  return tensor;
}

// lhs [m, k] . rhs [1, k, n] with a result that the test modifies.
struct Case {
  Tensor lhs, rhs;
  Tensor out;
  GroupedProblem problem;

  Case(DType dtype, DType out_dtype, std::int64_t m, std::int64_t k, std::int64_t n, Fill kind)
      : lhs(made(dtype, {m, k}, FillRole::lhs, 1, kind)),
        rhs(made(dtype, {1, k, n}, FillRole::rhs, 2, kind)) {
    problem = {&lhs, &rhs, {m}, 0, 1, false, false, false, nullptr, true};
    out = reference_gmm(problem, out_dtype);
  }
  Verdict check(Values values = Values::any) const {
    return check_gmm(problem, out, {Check::full, values, 0});
  }
};

// Computes sums in ascending order in f32, and rounds each product: the least accurate correct
// kernel.
void sum_in_f32(Case& c) {
  const std::int64_t m = c.lhs.dim(0), k = c.lhs.dim(1), n = c.rhs.dim(2);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t t = 0; t < k; ++t) {
        const float product =
            static_cast<float>(c.lhs.at(i * k + t)) * static_cast<float>(c.rhs.at(t * n + j));
        sum = sum + product;
      }
      c.out.set(i * n + j, sum);
    }
  }
}

TEST(Verdict, honest_sums_stay_within_the_bound) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::e4m3}) {
    for (const DType out : {DType::f32, DType::bf16, DType::f16}) {
      Case c(dtype, out, 20, 300, 17, Fill::normal);
      sum_in_f32(c);
      const Verdict verdict = c.check();
      EXPECT_TRUE(verdict.ok) << name(dtype) << " " << name(out) << ": " << verdict.message;
      // Sums of a few bits each are exact in f32; everything else rounds somewhere.
      EXPECT_EQ(verdict.max_error_over_bound > 0, dtype != DType::e4m3 || out != DType::f32);
      EXPECT_LE(verdict.max_error_over_bound, 1);
      EXPECT_EQ(verdict.checked_rows, 20);
    }
  }
}

TEST(Verdict, a_missing_product_is_found) {
  Case c(DType::bf16, DType::f32, 20, 300, 17, Fill::normal);
  sum_in_f32(c);
  const double product = c.lhs.at(5 * 300 + 7) * c.rhs.at(7 * 17 + 3);
  c.out.set(5 * 17 + 3, c.out.at(5 * 17 + 3) - product);
  const Verdict verdict = c.check();
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.wrong_elements, 1);
  EXPECT_EQ(verdict.worst, (std::vector<std::int64_t>{5, 3}));
  ASSERT_GT(verdict.max_error_over_bound, 1);
  // The rounding of the sum is within the bound.
  EXPECT_NEAR(verdict.max_abs_error, std::abs(product),
              verdict.max_abs_error / verdict.max_error_over_bound);
}

TEST(Verdict, a_partial_sum_rounded_to_bf16_is_found) {
  Case c(DType::bf16, DType::f32, 1, 300, 1, Fill::uniform);
  Tensor narrow(DType::bf16, {1});
  narrow.set(0, c.out.at(0));
  c.out.set(0, narrow.at(0));
  EXPECT_FALSE(c.check().ok);
}

TEST(Verdict, rounding_to_the_result_is_granted_half_a_step_only) {
  Case c(DType::f32, DType::bf16, 1, 1, 1, Fill::uniform);
  c.lhs.set(0, 1.0);
  c.rhs.set(0, 1.0 + 0x1p-9);
  c.out.set(0, 1.0);
  EXPECT_TRUE(c.check().ok);
  c.out.set(0, 1.0 + 0x1p-7);
  EXPECT_FALSE(c.check().ok);
}

TEST(Verdict, integer_fills_must_match_exactly) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    Case c(dtype, DType::f32, 20, 64, 17, Fill::integers);
    sum_in_f32(c);
    Verdict verdict = c.check(Values::small_integers);
    EXPECT_TRUE(verdict.ok) << verdict.message;
    EXPECT_EQ(verdict.max_abs_error, 0);
    EXPECT_EQ(verdict.message, "20 rows checked; every element is exact");
    c.out.set(40, std::nextafter(static_cast<float>(c.out.at(40)), 1e9F));
    verdict = c.check(Values::small_integers);
    EXPECT_FALSE(verdict.ok) << name(dtype);
    EXPECT_EQ(verdict.wrong_elements, 1);
  }
}

TEST(Verdict, i8_is_exact_in_i32_and_rounds_once_in_f32) {
  for (const DType out : {DType::i32, DType::f32, DType::bf16}) {
    Case c(DType::i8, out, 5, 100, 3, Fill::uniform);
    EXPECT_TRUE(c.check().ok);
    c.out.set(4, c.out.at(4) * 1.03 + 2);
    EXPECT_FALSE(c.check().ok) << name(out);
  }
}

TEST(Verdict, nan_passes_only_where_the_reference_is_nan) {
  Case c(DType::f32, DType::f32, 3, 8, 2, Fill::normal);
  c.out.set(1, nan);
  EXPECT_FALSE(c.check().ok);
  c.lhs.set(1, nan);
  c.out.set(0, nan);
  EXPECT_TRUE(c.check().ok);
  c.out.set(0, 3.0);
  EXPECT_FALSE(c.check().ok);
}

TEST(Verdict, what_overflows_must_be_infinite) {
  Case c(DType::f32, DType::f16, 1, 4, 1, Fill::normal);
  for (int i = 0; i < 4; ++i) {
    c.lhs.set(i, 0);
    c.rhs.set(i, 1);
  }
  c.lhs.set(0, 70000.0);
  c.out.set(0, 65504.0);
  EXPECT_FALSE(c.check().ok);
  c.out.set(0, inf);
  EXPECT_TRUE(c.check().ok);
  c.out.set(0, -inf);
  EXPECT_FALSE(c.check().ok);
  c.lhs.set(0, 65504.0);
  EXPECT_FALSE(c.check().ok);
  c.out.set(0, inf);
  EXPECT_FALSE(c.check().ok);
  c.lhs.set(0, 65520 - 0x1p-8);  // rounds to 65504, but only just
  EXPECT_TRUE(c.check().ok);
  c.out.set(0, 65504.0);
  EXPECT_TRUE(c.check().ok);
}

// If partial sums of terms with both signs overflow f32, the result is inf, -inf or NaN, depending
// on the order.
TEST(Verdict, sums_that_overflow_on_the_way_are_undetermined_and_no_mismatch) {
  Case c(DType::f32, DType::f32, 1, 2, 1, Fill::normal);
  c.rhs.set(0, 2);
  c.rhs.set(1, 2);
  const auto with = [&](double a, double b, double got) {
    c.lhs.set(0, a);
    c.lhs.set(1, b);
    c.out.set(0, got);
    return c.check();
  };
  for (const double got : {nan, inf, -inf}) {
    const Verdict verdict = with(3e38, -3e38, got);
    EXPECT_TRUE(verdict.ok) << got;
    EXPECT_EQ(verdict.overflowed_elements, 1);
    EXPECT_EQ(verdict.message,
              "1 rows checked; every other element is exact; 1 element overflows f32 during the "
              "sum, which leaves it undetermined");
  }
  EXPECT_EQ(with(3e38, -3e38, 0).message, "1 rows checked; every element is exact");
  EXPECT_FALSE(with(3e38, -3e38, 1e38).ok) << "a sum that did not overflow has its bound";
  // The sum of absolute values exceeds f32, but no partial sum does, so a NaN is a mismatch.
  for (const double got : {nan, inf, -inf}) EXPECT_FALSE(with(1.2e38, -1.2e38, got).ok) << got;
  // All of one sign: the sum is inf in any order.
  EXPECT_TRUE(with(3e38, 3e38, inf).ok);
  for (const double got : {nan, -inf, 3e38}) EXPECT_FALSE(with(3e38, 3e38, got).ok) << got;
  // An infinite term may be added to a sum that overflowed with the other sign.
  EXPECT_TRUE(with(inf, -3e38, nan).ok);
  EXPECT_FALSE(with(inf, -1e38, nan).ok);
  EXPECT_FALSE(with(inf, -3e38, 0).ok);
}

TEST(Verdict, sums_of_i8_are_exact_in_f32_while_it_holds_them_and_wrap_in_i32) {
  constexpr std::int64_t k = 140000;
  Tensor lhs(DType::i8, {1, k}), rhs(DType::i8, {1, k, 1});
  std::memset(lhs.data(), 127, static_cast<std::size_t>(k));
  std::memset(rhs.data(), 127, static_cast<std::size_t>(k));
  const GroupedProblem problem{.lhs = &lhs, .rhs = &rhs, .group_sizes = {1}, .local_groups = 1};
  EXPECT_EQ(reference_gmm(problem, DType::f32).at(0), 2258060032.0);
  Tensor out = reference_gmm(problem, DType::i32);
  EXPECT_EQ(out.at(0), 2258060000.0 - 0x1p32);
  const Verdict wrapped = check_gmm(problem, out, {});
  EXPECT_TRUE(wrapped.ok);
  EXPECT_EQ(wrapped.overflowed_elements, 1);
  EXPECT_EQ(wrapped.message,
            "1 rows checked; every other element is exact; 1 element overflows i32, whose sums "
            "wrap");
  out.set(0, 2147483647);
  EXPECT_FALSE(check_gmm(problem, out, {}).ok);
}

TEST(Verdict, fp8_results_saturate) {
  Case c(DType::f32, DType::e4m3, 1, 1, 1, Fill::normal);
  c.lhs.set(0, -1e6);
  c.rhs.set(0, 1.0);
  c.out.set(0, -448.0);
  EXPECT_TRUE(c.check().ok);
  c.out.set(0, -416.0);
  EXPECT_FALSE(c.check().ok);
}

TEST(Verdict, units_that_flush_subnormals_are_granted_it) {
  Case c(DType::bf16, DType::f32, 1, 1, 1, Fill::normal);
  c.lhs.set(0, 0x1p-130);
  c.rhs.set(0, 1.0);
  c.out.set(0, 0.0);
  EXPECT_TRUE(c.check().ok);
  c.lhs.set(0, 0x1p-120);
  EXPECT_FALSE(c.check().ok);
}

TEST(Verdict, rows_of_no_group_keep_the_existing_bits) {
  const Tensor lhs(DType::bf16, {3, 2}), rhs(DType::bf16, {1, 2, 2});
  Tensor existing(DType::f32, {3, 2});
  for (std::int64_t i = 0; i < 6; ++i) existing.as<std::uint32_t>()[i] = 0x80000000U;
  existing.as<std::uint32_t>()[5] = 0xFFC12345U;  // this very NaN
  const GroupedProblem problem{
      .lhs = &lhs, .rhs = &rhs, .group_sizes = {1}, .local_groups = 1, .existing = &existing};
  const Tensor out = reference_gmm(problem, DType::f32);
  EXPECT_EQ(out.as<std::uint32_t>()[0], 0U) << "0 + -0";
  for (std::int64_t i = 2; i < 6; ++i)
    EXPECT_EQ(out.as<std::uint32_t>()[i], existing.as<std::uint32_t>()[i]) << i;
}

TEST(Verdict, a_result_of_another_shape_is_not_judged) {
  Case c(DType::bf16, DType::f32, 4, 3, 2, Fill::normal);
  c.out = Tensor(DType::f32, {2, 2});
  EXPECT_FALSE(c.check().ok);
  EXPECT_EQ(c.check().message,
            "this cannot be checked: the result has shape (2, 2), expected (4, 2)");
}

TEST(Verdict, rows_of_no_group_are_copied_exactly) {
  const Tensor lhs = made(DType::bf16, {4, 3}, FillRole::lhs, 1, Fill::normal);
  const Tensor rhs = made(DType::bf16, {1, 3, 2}, FillRole::rhs, 2, Fill::normal);
  const Tensor existing = made(DType::bf16, {4, 2}, FillRole::existing, 3, Fill::normal);
  const GroupedProblem problem{&lhs, &rhs, {2}, 0, 1, false, false, false, &existing, true};
  Tensor out = reference_gmm(problem, DType::bf16);
  EXPECT_TRUE(check_gmm(problem, out, {}).ok);
  out.set(6, out.at(6) * (1 + 0x1p-7));
  EXPECT_FALSE(check_gmm(problem, out, {}).ok);
}

TEST(Verdict, tgmm_names_the_group_and_the_element) {
  const Tensor lhs = made(DType::f32, {10, 3}, FillRole::lhs, 1, Fill::normal);
  const Tensor rhs = made(DType::f32, {10, 2}, FillRole::rhs, 2, Fill::normal);
  const GroupedProblem problem{&lhs, &rhs, {4, 0, 6}, 0, 3, false, false, false, nullptr, true};
  Tensor out = reference_tgmm(problem, DType::f32);
  EXPECT_TRUE(check_tgmm(problem, out, {}).ok);
  out.set((1 * 3 + 2) * 2 + 1, 0.5);  // the empty group's block is zero
  const Verdict verdict = check_tgmm(problem, out, {});
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.worst, (std::vector<std::int64_t>{1, 2, 1}));
  EXPECT_EQ(verdict.message, "1 of 18 elements are wrong; worst out[1, 2, 1] = 0.5, expected 0");
}

}  // namespace
}  // namespace tessera
