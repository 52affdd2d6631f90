// Reductions along any dimension, permutations, and products of tiles of any rank, compared with
// plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "interp/tiles/tile_ops.h"
#include "tests/unit/tile_support.h"

namespace tessera::tile {
namespace {

Shape drawn_shape(Rng& rng, int rank) {
  Shape shape;
  for (int d = 0; d < rank; ++d) shape.push_back(1 + below(rng, d == rank - 1 ? 7 : 4));
  return shape;
}

std::vector<int> drawn_order(Rng& rng, int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  return order;
}

std::size_t offset(const Shape& shape, const Index& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return static_cast<std::size_t>(at);
}

TEST(Reduce, GoesAlongAnyDimensionOfAnyRank) {
  Rng rng(21);
  for (int round = 0; round < 300; ++round) {
    const int rank = 1 + static_cast<int>(below(rng, 5));
    const auto dim = static_cast<std::size_t>(below(rng, rank));
    const DType type = round % 3 == 0 ? DType::i16 : DType::f32;
    const Shape shape = drawn_shape(rng, rank);
    Shape reduced = shape;
    reduced[dim] = 1;
    const auto kind = static_cast<Reduce>(round % 3);
    Tile src(type, shape, drawn_order(rng, rank)), dst(type, reduced);
    src.fill([&] {
      const bool is_nan = type == DType::f32 && rng() % 40 == 0;
      return is_nan ? NAN
                    : std::ldexp(static_cast<double>(below(rng, 40000)) - 20000,
                                 type == DType::f32 ? -7 : 0);
    });
    reduce(kind, static_cast<int>(dim), dst.write(), src.read(), {});
    const auto x = src.values(), got = dst.values();
    for (std::size_t i = 0; i < got.size(); ++i) {
      Index index = index_in(dst.whole(), static_cast<std::int64_t>(i));
      float result = kind == Reduce::sum ? 0 : kind == Reduce::max ? -INFINITY : INFINITY;
      for (index[dim] = 0; index[dim] < shape[dim]; ++index[dim]) {
        const auto value = static_cast<float>(x[offset(shape, index)]);
        if (kind == Reduce::sum)
          result += value;
        else if (std::isnan(value) || std::isnan(result))
          result = NAN;
        else
          result = kind == Reduce::max ? std::max(result, value) : std::min(result, value);
      }
      const double expected =
          type == DType::i16 && kind == Reduce::sum
              ? static_cast<double>(static_cast<std::int16_t>(static_cast<std::int64_t>(result)))
              : static_cast<double>(result);
      ASSERT_TRUE(got[i] == expected || (std::isnan(got[i]) && std::isnan(expected)))
          << got[i] << " for " << expected;
    }
  }
}

TEST(Permute, PutsDimensionsInAnyOrder) {
  Rng rng(22);
  for (int round = 0; round < 100; ++round) {
    const int rank = 2 + static_cast<int>(below(rng, 4));
    const Shape shape = drawn_shape(rng, rank);
    const std::vector<int> order = drawn_order(rng, rank);
    Shape turned;
    for (const int d : order) turned.push_back(shape[static_cast<std::size_t>(d)]);
    Tile src(DType::f32, shape, drawn_order(rng, rank)), dst(DType::bf16, turned);
    src.fill([&] { return static_cast<double>(below(rng, 200)); });
    permute(dst.write(), src.read(), order, {});
    const auto x = src.values(), got = dst.values();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Index to = index_in(dst.whole(), static_cast<std::int64_t>(i));
      Index from{};
      for (std::size_t d = 0; d < order.size(); ++d)
        from[static_cast<std::size_t>(order[d])] = to[d];
      ASSERT_EQ(got[i], x[offset(shape, from)]);
    }
  }
}

TEST(BatchedMatmul, IsOneProductForEachLeadingIndex) {
  Rng rng(23);
  for (int round = 0; round < 100; ++round) {
    const int rank = 2 + static_cast<int>(below(rng, 3));
    const bool is_whole = round % 3 == 0, ta = rng() % 2 != 0, tb = rng() % 2 != 0;
    const std::int64_t m = 1 + below(rng, 6), k = 1 + below(rng, 6), n = 1 + below(rng, 6);
    const Shape leading = drawn_shape(rng, rank - 2);
    const auto of = [&](std::int64_t rows, std::int64_t columns, bool is_turned) {
      Shape shape = leading;
      shape.push_back(is_turned ? columns : rows);
      shape.push_back(is_turned ? rows : columns);
      return shape;
    };
    const DType type = is_whole ? DType::i16 : DType::f32;
    Tile a(type, of(m, k, ta)), b(type, of(k, n, tb)),
        acc(is_whole ? DType::i32 : DType::f32, of(m, n, false));
    for (Tile* each : {&a, &b, &acc})
      each->fill([&] { return static_cast<double>(below(rng, 21)) - 10; });
    const auto x = a.values(), y = b.values(), before = acc.values();
    matmul(acc.storage->update(acc.whole()), a.read(), b.read(), {.a = ta, .b = tb},
           {round % 2 != 0 ? Math::exact : Math::library, {}});
    const auto got = acc.values();
    for (std::size_t at = 0; at < got.size(); ++at) {
      const auto i = static_cast<std::int64_t>(at);
      const std::int64_t product = i / (m * n), row = i / n % m, column = i % n;
      double sum = before[at];
      for (std::int64_t s = 0; s < k; ++s) {
        const std::int64_t left = product * m * k + (ta ? s * m + row : row * k + s);
        const std::int64_t right = product * k * n + (tb ? column * k + s : s * n + column);
        sum += x[static_cast<std::size_t>(left)] * y[static_cast<std::size_t>(right)];
      }
      ASSERT_EQ(got[at], sum);
    }
  }
}

// An undefined element only affects the results that are computed from it.
TEST(BatchedMatmul, SpreadsUndefinedElementsWithinTheirProduct) {
  Tile a(DType::f32, {2, 2, 2}), b(DType::f32, {2, 2, 2}), acc(DType::f32, {2, 2, 2});
  const auto part = [](std::int64_t product, std::int64_t row) {
    Box box;
    box.rank = 3;
    box.start = {product, row, 0};
    box.size = {1, 1, 2};
    return box;
  };
  a.fill(part(0, 0), [] { return 1.0; });
  a.fill(part(0, 1), [] { return 1.0; });
  a.fill(part(1, 0), [] { return 1.0; });
  b.fill([] { return 2.0; });
  acc.fill([] { return 0.0; });
  matmul(acc.storage->update(acc.whole()), a.read(), b.read(), {}, {});
  EXPECT_EQ(acc.defined(), (std::vector<bool>{1, 1, 1, 1, 1, 1, 0, 0}));
  Tile sums(DType::f32, {2, 1, 2});
  reduce(Reduce::sum, 1, sums.write(), a.read(), {});
  EXPECT_EQ(sums.defined(), (std::vector<bool>{1, 1, 0, 0}));
}

}  // namespace
}  // namespace tessera::tile
