// Matrix products on strided tiles, compared with loops in double: within the a-priori bound, and
// bit for bit if the summation order is fixed or the operands are small integers.
#include "interp/tiles/tile_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/data/convert.h"

namespace tessera::math {
namespace {

using Rng = std::mt19937_64;

std::int64_t below(Rng& rng, std::int64_t n) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
}

// A matrix with gaps between its rows (or columns, or both), filled from `draw`.
struct Owned {
  std::vector<std::byte> bytes;
  Matrix matrix;

  Owned(DType dtype, std::int64_t rows, std::int64_t cols, Rng& rng) {
    const std::int64_t gap = below(rng, 3) * 5, step = rng() % 8 == 0 ? 2 : 1;
    matrix = {nullptr, dtype, rows, cols, 0, 0};
    if (rng() % 3 != 0) {
      matrix.col_stride = step;
      matrix.row_stride = cols * step + gap;
    } else {
      matrix.row_stride = step;
      matrix.col_stride = rows * step + gap;
    }
    bytes.resize(static_cast<std::size_t>(
        (rows * matrix.row_stride + cols * matrix.col_stride + 1) * size_of(dtype)));
    matrix.data = bytes.data();
  }
  std::byte* at(std::int64_t i, std::int64_t j) const {
    return matrix.data + (i * matrix.row_stride + j * matrix.col_stride) * size_of(matrix.dtype);
  }
  double get(std::int64_t i, std::int64_t j) const { return load_element(at(i, j), matrix.dtype); }
  template <typename F>
  void fill(F&& draw) {
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      for (std::int64_t j = 0; j < matrix.cols; ++j) store_element(at(i, j), matrix.dtype, draw());
    }
  }
};

std::int64_t random_size(Rng& rng) {
  return rng() % 4 == 0 ? 32 * (1 + below(rng, 3)) : 1 + below(rng, 70);
}

class Product : public testing::TestWithParam<std::pair<DType, DType>> {};

TEST_P(Product, OfSmallIntegersIsExact) {
  Rng rng(3);
  const auto [a_type, b_type] = GetParam();
  for (int round = 0; round < 60; ++round) {
    const std::int64_t m = random_size(rng), n = random_size(rng), k = random_size(rng);
    Owned a(a_type, m, k, rng), b(b_type, k, n, rng), acc(accumulator(a_type), m, n, rng);
    a.fill([&] { return static_cast<double>(below(rng, 9) - 4); });
    b.fill([&] { return static_cast<double>(below(rng, 5) - 2); });
    acc.fill([&] { return static_cast<double>(below(rng, 2001) - 1000); });
    std::vector<double> expected;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = acc.get(i, j);
        for (std::int64_t s = 0; s < k; ++s) sum += a.get(i, s) * b.get(s, j);
        expected.push_back(sum);
      }
    }
    multiply_add(acc.matrix, a.matrix, b.matrix, round % 3 == 0 ? Math::exact : Math::library);
    for (std::int64_t i = 0; i < m * n; ++i) {
      ASSERT_EQ(acc.get(i / n, i % n), expected[static_cast<std::size_t>(i)])
          << m << "x" << n << "x" << k << " element " << i << " round " << round;
    }
  }
}

class RoundedProduct : public testing::TestWithParam<std::pair<DType, DType>> {};

TEST_P(RoundedProduct, StaysWithinItsBound) {
  Rng rng(4);
  const auto [a_type, b_type] = GetParam();
  std::normal_distribution<double> normal;
  for (int round = 0; round < 20; ++round) {
    const std::int64_t m = random_size(rng), n = random_size(rng), k = random_size(rng);
    Owned a(a_type, m, k, rng), b(b_type, k, n, rng), acc(DType::f32, m, n, rng);
    for (Owned* each : {&a, &b, &acc}) each->fill([&] { return normal(rng); });
    std::vector<double> expected, bound;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = acc.get(i, j), magnitude = std::abs(sum);
        for (std::int64_t s = 0; s < k; ++s) {
          sum += a.get(i, s) * b.get(s, j);
          magnitude += std::abs(a.get(i, s) * b.get(s, j));
        }
        expected.push_back(sum);
        const double roundings = static_cast<double>(k + 1) * 0x1p-24;
        bound.push_back(roundings / (1 - roundings) * magnitude);
      }
    }
    multiply_add(acc.matrix, a.matrix, b.matrix, Math::library);
    for (std::int64_t i = 0; i < m * n; ++i) {
      const auto u = static_cast<std::size_t>(i);
      ASSERT_LE(std::abs(acc.get(i / n, i % n) - expected[u]), bound[u]);
    }
  }
}

constexpr std::pair<DType, DType> float_types[] = {
    std::pair(DType::f32, DType::f32),  std::pair(DType::bf16, DType::bf16),
    std::pair(DType::f16, DType::f16),  std::pair(DType::e4m3, DType::e5m2),
    std::pair(DType::bf16, DType::f32),
};
INSTANTIATE_TEST_SUITE_P(Floats, Product, testing::ValuesIn(float_types));
INSTANTIATE_TEST_SUITE_P(Integers, Product, testing::Values(std::pair(DType::i8, DType::i8)));
INSTANTIATE_TEST_SUITE_P(Floats, RoundedProduct, testing::ValuesIn(float_types));

TEST(ExactProduct, AddsInAscendingOrderWithOneRoundingEach) {
  Rng rng(5);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 20; ++round) {
    const std::int64_t m = random_size(rng), n = random_size(rng), k = random_size(rng);
    Owned a(DType::bf16, m, k, rng), b(DType::f32, k, n, rng), acc(DType::f32, m, n, rng);
    for (Owned* each : {&a, &b, &acc}) each->fill([&] { return normal(rng); });
    std::vector<float> expected;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = static_cast<float>(acc.get(i, j));
        for (std::int64_t s = 0; s < k; ++s) {
          const volatile float product =
              static_cast<float>(a.get(i, s)) * static_cast<float>(b.get(s, j));
          sum = sum + product;
        }
        expected.push_back(sum);
      }
    }
    multiply_add(acc.matrix, a.matrix, b.matrix, Math::exact);
    for (std::int64_t i = 0; i < m * n; ++i) {
      const auto got = static_cast<float>(acc.get(i / n, i % n));
      ASSERT_EQ(std::memcmp(&got, &expected[static_cast<std::size_t>(i)], 4), 0);
    }
  }
}

TEST(IntegerProduct, IsExactBeyondTheRangeOfFloatsAndWraps) {
  Rng rng(6);
  for (const Math math : {Math::library, Math::exact}) {
    Owned a(DType::i8, 33, 65, rng), b(DType::i8, 65, 40, rng), acc(DType::i32, 33, 40, rng);
    a.fill([&] { return static_cast<double>(below(rng, 256) - 128); });
    b.fill([&] { return static_cast<double>(below(rng, 256) - 128); });
    acc.fill([&] {
      return static_cast<double>(below(rng, 2) != 0 ? 2147483647 - below(rng, 9)
                                                    : below(rng, 1 << 30));
    });
    std::vector<std::uint32_t> expected;
    for (std::int64_t i = 0; i < 33; ++i) {
      for (std::int64_t j = 0; j < 40; ++j) {
        auto sum = static_cast<std::int64_t>(acc.get(i, j));
        for (std::int64_t s = 0; s < 65; ++s)
          sum += static_cast<std::int64_t>(a.get(i, s) * b.get(s, j));
        expected.push_back(static_cast<std::uint32_t>(sum));
      }
    }
    multiply_add(acc.matrix, a.matrix, b.matrix, math);
    for (std::int64_t i = 0; i < 33 * 40; ++i) {
      const auto got =
          static_cast<std::uint32_t>(static_cast<std::int64_t>(acc.get(i / 40, i % 40)));
      ASSERT_EQ(got, expected[static_cast<std::size_t>(i)]) << "element " << i;
    }
  }
}

// i8 into f32: the sum of products is exact for any length, and is added to the accumulator once.
TEST(IntegerProduct, OfI8IntoF32AddsExactSums) {
  constexpr std::int64_t k = 140000;
  for (const Math math : {Math::library, Math::exact}) {
    std::vector<std::int8_t> a(k, 127), b(2 * k, 127);
    std::vector<float> acc{0.5F, -1, 0, 7};  // rows of two elements; only one column is used
    const Matrix left{reinterpret_cast<std::byte*>(a.data()), DType::i8, 1, k, k, 1},
        right{reinterpret_cast<std::byte*>(b.data()), DType::i8, k, 2, 2, 1},
        sums{reinterpret_cast<std::byte*>(acc.data()), DType::f32, 1, 2, 4, 2};
    multiply_add(sums, left, right, math);
    EXPECT_NEAR(acc[0], 2258060000.0, 256);
    EXPECT_EQ(acc[1], -1);
    EXPECT_EQ(acc[2], acc[0]);
    EXPECT_EQ(acc[3], 7);
    a.assign(k, -128);
    b.assign(2 * k, -128);
    acc.assign(4, 0);
    multiply_add(sums, left, right, math);
    EXPECT_NEAR(acc[0], 140000.0 * 16384, 256);
  }
  Rng rng(9);
  Owned x(DType::i8, 20, 300, rng), y(DType::i8, 300, 12, rng), z(DType::f32, 20, 12, rng);
  x.fill([&] { return static_cast<double>(below(rng, 256) - 128); });
  y.fill([&] { return static_cast<double>(below(rng, 256) - 128); });
  z.fill([] { return 0.25; });
  multiply_add(z.matrix, x.matrix, y.matrix, Math::library);
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 12; ++j) {
      double sum = 0;
      for (std::int64_t s = 0; s < 300; ++s) sum += x.get(i, s) * y.get(s, j);
      ASSERT_EQ(z.get(i, j), 0.25F + static_cast<float>(sum));
    }
}

// Other products in between must not change the result of a product.
TEST(LibraryProduct, DoesNotDependOnEarlierOnes) {
  Rng rng(7);
  std::normal_distribution<double> normal;
  Owned a(DType::bf16, 50, 70, rng), b(DType::bf16, 70, 45, rng), acc(DType::f32, 50, 45, rng);
  for (Owned* each : {&a, &b, &acc}) each->fill([&] { return normal(rng); });
  Owned again = acc;
  again.matrix.data = again.bytes.data();
  multiply_add(acc.matrix, a.matrix, b.matrix, Math::library);
  for (int round = 0; round < 100; ++round) {
    Owned x(DType::bf16, random_size(rng), 40, rng), y(DType::bf16, 40, random_size(rng), rng);
    Owned z(DType::f32, x.matrix.rows, y.matrix.cols, rng);
    multiply_add(z.matrix, x.matrix, y.matrix, Math::library);
  }
  multiply_add(again.matrix, a.matrix, b.matrix, Math::library);
  EXPECT_EQ(acc.bytes, again.bytes);
}

TEST(LibraryProduct, OfNothingChangesNothing) {
  Rng rng(8);
  Owned a(DType::f32, 4, 0, rng), b(DType::f32, 0, 4, rng), acc(DType::f32, 4, 4, rng);
  acc.fill([] { return 3.0; });
  multiply_add(acc.matrix, a.matrix, b.matrix, Math::library);
  EXPECT_EQ(acc.get(3, 3), 3);
}

}  // namespace
}  // namespace tessera::math
