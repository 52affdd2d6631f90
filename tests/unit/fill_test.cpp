#include "kernels/inputs/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

namespace tessera {
namespace {

Tensor made(DType dtype, Fill kind, std::int64_t count, std::uint64_t seed,
            FillRole role = FillRole::lhs, std::int64_t terms = 1) {
  Tensor tensor(dtype, {count});
  fill(tensor, kind, role, terms, seed);
  return tensor;
}

double cumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(NormalQuantile, inverts_the_distribution) {
  for (double p = 1e-12; p < 0.5; p *= 1.7) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(cumulative(x) / p, 1, 1.5e-9 * (1 + x * x)) << p;
    if (p > 1e-6) {
      EXPECT_NEAR(normal_quantile(1 - p), -x, 1e-7) << p;
    }
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Fill, normal_has_mean_zero_and_deviation_one) {
  const Tensor tensor = made(DType::f32, Fill::normal, 200000, 3);
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    sum += tensor.at(i);
    squares += tensor.at(i) * tensor.at(i);
  }
  // Within four standard errors of the two means: 1/sqrt(n) and sqrt(2/n).
  const double n = 200000;
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 4 * std::sqrt(2 / n));
}

TEST(Fill, an_element_depends_on_seed_and_index_only) {
  const Tensor longer = made(DType::bf16, Fill::normal, 1000, 7),
               shorter = made(DType::bf16, Fill::normal, 100, 7);
  const Tensor other = made(DType::bf16, Fill::normal, 100, 8);
  int differ = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(longer.at(i), shorter.at(i));
    differ += other.at(i) != shorter.at(i) ? 1 : 0;
  }
  EXPECT_GT(differ, 90);
}

TEST(Fill, bits_are_the_same_everywhere) {
  const Tensor normal = made(DType::f32, Fill::normal, 4, 0),
               uniform = made(DType::f32, Fill::uniform, 4, 0);
  const float want_normal[] = {-0x1.4da392p+0F, -0x1.f2e9c2p-3F, 0x1.237048p-1F, 0x1.323e54p-1F},
              want_uniform[] = {0x1.8a3308p-4F, 0x1.9d74f6p-2F, 0x1.6e4848p-1F, 0x1.734374p-1F};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(normal.as<float>()[i], want_normal[i]);
    EXPECT_EQ(uniform.as<float>()[i], want_uniform[i]);
  }
}

TEST(Fill, uniform_stays_in_its_range) {
  const Tensor f32 = made(DType::f32, Fill::uniform, 10000, 1),
               i8 = made(DType::i8, Fill::uniform, 10000, 1);
  std::set<double> seen;
  for (std::int64_t i = 0; i < 10000; ++i) {
    EXPECT_TRUE(f32.at(i) >= 0 && f32.at(i) <= 1);
    seen.insert(i8.at(i));
  }
  EXPECT_EQ(seen.size(), 256u);
}

TEST(Fill, integers_take_every_value_of_their_range) {
  for (const DType dtype :
       {DType::f32, DType::bf16, DType::f16, DType::e4m3, DType::e5m2, DType::i8}) {
    for (const FillRole role : {FillRole::lhs, FillRole::rhs, FillRole::existing}) {
      const std::int64_t range = integer_range(dtype, role, 64);
      const Tensor tensor = made(dtype, Fill::integers, 20000, 5, role, 64);
      std::set<double> seen;
      for (std::int64_t i = 0; i < tensor.elements(); ++i) seen.insert(tensor.at(i));
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(2 * range + 1)) << name(dtype);
      EXPECT_EQ(*seen.begin(), static_cast<double>(-range)) << name(dtype);
    }
  }
}

TEST(Fill, sums_of_integers_stay_exact_in_f32) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (std::int64_t terms = 1; terms < std::int64_t{1} << 24; terms = terms * 3 + 1) {
      const std::int64_t largest = terms * integer_range(dtype, FillRole::lhs, terms) *
                                   integer_range(dtype, FillRole::rhs, terms);
      EXPECT_LE(largest + 8, std::int64_t{1} << 24) << name(dtype) << " " << terms;
    }
  }
  EXPECT_EQ(integer_range(DType::f32, FillRole::lhs, 2000), 64);
  EXPECT_EQ(integer_range(DType::f32, FillRole::rhs, 2000), 128);
  EXPECT_EQ(integer_range(DType::bf16, FillRole::lhs, 2000000), 4);
  EXPECT_EQ(integer_range(DType::bf16, FillRole::rhs, 2000000), 2);
}

TEST(Fill, e8m0_gets_powers_of_two) {
  const Tensor tensor = made(DType::e8m0, Fill::normal, 1000, 2);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    EXPECT_TRUE(tensor.at(i) >= 0.125 && tensor.at(i) <= 8);
  }
}

TEST(Fill, names_are_parsed) {
  EXPECT_EQ(parse_fill("normal"), Fill::normal);
  EXPECT_EQ(parse_fill("uniform"), Fill::uniform);
  EXPECT_EQ(parse_fill("integers"), Fill::integers);
  EXPECT_EQ(parse_fill("random"), std::nullopt);
}

}  // namespace
}  // namespace tessera
