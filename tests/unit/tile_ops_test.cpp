// Tile ops, compared with loops over elements in double or int64, including broadcasting, overlap
// and undefined elements.
#include "interp/tiles/tile_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/data/dtype_range.h"
#include "core/program/scalar.h"
#include "interp/tiles/functions.h"
#include "interp/tiles/integer_ops.h"
#include "tests/unit/tile_support.h"

namespace tessera::tile {
namespace {

Box box(std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
  Box result;
  result.rank = 2;
  result.start = {row, col};
  result.size = {rows, cols};
  return result;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double reference(Binary op, bool floats, double a, double b) {
  const auto f = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  switch (op) {
    case Binary::add:
      return floats ? f(a + b) : a + b;
    case Binary::sub:
      return floats ? f(a - b) : a - b;
    case Binary::mul:
      return floats ? f(a * b) : a * b;
    case Binary::div:
      if (floats) return f(a / b);
      return static_cast<double>(
          scalar::div(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
    case Binary::min:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case Binary::max:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case Binary::lt:
      return a < b ? 1 : 0;
    case Binary::le:
      return a <= b ? 1 : 0;
    case Binary::eq:
      return a == b ? 1 : 0;
  }
  return 0;
}

// Returns the integer sum, difference or product `value`, wrapped to the wider of the two types.
double wrapped(DType a, DType b, double value) {
  const DType range = wider_integer(a, b);
  if (range == DType::i64) return value;
  return static_cast<double>(low_bits(range, static_cast<std::int64_t>(value)));
}

TEST(Broadcasting, IsOfDimensionsOfSizeOne) {
  Tile wide(DType::f32, {3, 4}), row(DType::f32, {1, 4}), odd(DType::f32, {3, 2}),
      flat(DType::f32, {4});
  EXPECT_TRUE(broadcasts(row.read(), wide.read()));
  EXPECT_FALSE(broadcasts(wide.read(), row.read()));
  EXPECT_FALSE(broadcasts(odd.read(), wide.read()));
  EXPECT_FALSE(broadcasts(flat.read(), wide.read()));
  EXPECT_TRUE(broadcasts(TileView::of(std::int64_t{3}), wide.read()));
}

// As in copies that add: a sum of integers does not depend on the order.
TEST(BinaryOp, SumsOfOneTypeWrapInIt) {
  Tile a(DType::i8, {1, 2}), b(DType::i8, {1, 2});
  a.fill([] { return 100.0; });
  b.fill([] { return 100.0; });
  binary(Binary::add, a.write(), a.read(), b.read(), {});
  EXPECT_EQ(a.values(), (std::vector<double>{-56, -56}));
}

TEST(BinaryOp, AgreesWithScalarsForAllTypesShapesAndOrders) {
  Rng rng(1);
  for (int round = 0; round < 400; ++round) {
    const DType type = all_types[below(rng, std::ssize(all_types))],
                to = rng() % 2 != 0 ? type : all_types[below(rng, std::ssize(all_types))];
    const Shape shape{1 + below(rng, 4), 1 + below(rng, 9),
                      1 + below(rng, 600) / (1 + below(rng, 20))};
    Shape a_shape = shape, b_shape = shape;
    for (Shape* each : {&a_shape, &b_shape}) (*each)[static_cast<std::size_t>(below(rng, 3))] = 1;
    const auto op = static_cast<Binary>(below(rng, 9));
    Tile dst(to, shape, rng() % 2 != 0 ? std::vector<int>{2, 0, 1} : std::vector<int>{});
    Tile a(type, a_shape, rng() % 2 != 0 ? std::vector<int>{1, 2, 0} : std::vector<int>{}),
        b(type, b_shape);
    const std::int64_t low = is_unsigned(type) ? 0 : -60;
    a.fill(
        [&] { return static_cast<double>(below(rng, 60 - low) + low) / (is_float(type) ? 4 : 1); });
    b.fill([&] {
      return is_float(type) && rng() % 20 == 0 ? NAN
                                               : static_cast<double>(below(rng, 60 - low) + low);
    });
    const std::int64_t number = below(rng, 10);
    const bool use_number = rng() % 4 == 0;
    binary(op, dst.write(), a.read(), use_number ? TileView::of(number) : b.read(), {});
    const auto result = dst.values(), x = a.values(), y = b.values();
    const auto at = [](const Shape& s, const Index& index) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < 3; ++d) offset = offset * s[d] + (s[d] == 1 ? 0 : index[d]);
      return static_cast<std::size_t>(offset);
    };
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Index index = index_in(dst.whole(), static_cast<std::int64_t>(i));
      const double right = use_number ? static_cast<double>(number) : y[at(b_shape, index)];
      double value = reference(op, is_float(type), x[at(a_shape, index)], right);
      if (is_integer(type) && is_integer(to) && op <= Binary::mul) value = wrapped(type, to, value);
      const double expected = rounded(to, value);
      ASSERT_TRUE(same(result[i], expected))
          << name(type) << " " << name(to) << " op " << static_cast<int>(op) << ": "
          << x[at(a_shape, index)] << ", " << right << " gave " << result[i];
    }
    ASSERT_TRUE(dst.storage->is_initialised(dst.whole()));
  }
}

TEST(CastOp, ConvertsNumbersAndTiles) {
  Rng rng(2);
  for (const DType from : all_types) {
    for (const DType to : all_types) {
      Tile src(from, {7, 33}), dst(to, {7, 33}, {1, 0});
      src.fill([&] {
        return static_cast<double>(below(rng, 4000)) * (is_unsigned(from) ? 1 : 0.125) -
               (is_unsigned(from) ? 0 : 90);
      });
      cast(dst.write(), src.read(), {});
      const auto in = src.values(), out = dst.values();
      for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], rounded(to, in[i]));
    }
  }
  Tile wide(DType::bf16, {2, 1000}), big(DType::bf16, {1, 1}), source(DType::i64, {1, 1});
  cast(wide.write(), TileView::of(1.00390625F), {});
  for (const double value : wide.values()) ASSERT_EQ(value, 1.0);
  // An intermediate rounding to f32 would give the tie 2^24 + 2^16, and then 2^24.
  source.fill([] { return 0x1p24 + 0x1p16 + 1; });
  cast(big.write(), source.read(), {});
  EXPECT_EQ(big.values()[0], 0x1p24 + 0x1p17);
}

TEST(ScaleOp, MultipliesBlocksOfEveryShape) {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    const Shape blocks{1 + below(rng, 3), 1 + below(rng, 5)},
        sides{1 + below(rng, 3), 1 + below(rng, 40)};
    const Shape shape{blocks[0] * sides[0], blocks[1] * sides[1]};
    Tile dst(DType::f32, shape, rng() % 2 != 0 ? std::vector<int>{1, 0} : std::vector<int>{}),
        src(DType::e4m3, shape), scales(DType::e8m0, blocks);
    src.fill([&] { return static_cast<double>(below(rng, 31) - 15); });
    scales.fill([&] { return std::ldexp(1.0, static_cast<int>(below(rng, 9)) - 4); });
    ASSERT_TRUE(cuts(scales.read(), dst.read()));
    scale(dst.write(), src.read(), scales.read(), {});
    const auto result = dst.values(), x = src.values(), s = scales.values();
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Index at = index_in(dst.whole(), static_cast<std::int64_t>(i));
      const auto block = static_cast<std::size_t>(at[0] / sides[0] * blocks[1] + at[1] / sides[1]);
      ASSERT_EQ(result[i], x[i] * s[block]);
    }
    ASSERT_TRUE(dst.storage->is_initialised(dst.whole()));
  }
  Tile wide(DType::f32, {4, 9}), scales(DType::e8m0, {4, 2}), flat(DType::e8m0, {4});
  EXPECT_FALSE(cuts(scales.read(), wide.read()));
  EXPECT_FALSE(cuts(flat.read(), wide.read()));
}

TEST(Undefined, SpreadsOverTheBlockOfAScale) {
  Tile dst(DType::f32, {2, 6}), src(DType::f32, {2, 6}), scales(DType::f32, {2, 2});
  src.fill([] { return 1; });
  scales.fill(box(0, 2, 0, 1), [] { return 2; });
  scales.fill(box(1, 1, 1, 1), [] { return 2; });
  scale(dst.write(), src.read(), scales.read(), {});
  const std::vector<bool> expected = {true, true, true, false, false, false,
                                      true, true, true, true,  true,  true};
  EXPECT_EQ(dst.defined(), expected);
}

TEST(IotaOp, CountsAlongADimension) {
  Tile dst(DType::i32, {3, 5});
  iota(dst.write(), 0, {});
  EXPECT_EQ(dst.values()[7], 1);
  iota(dst.write(), 1, {});
  EXPECT_EQ(dst.values()[7], 2);
}

TEST(ApplyOp, RoundsTheRealFunction) {
  Rng rng(3);
  using shapes::Function;
  const std::pair<Function, RealFunction> functions[] = {
      {Function::tanh, [](double x) { return std::tanh(x); }},
      {Function::rsqrt, [](double x) { return 1 / std::sqrt(x); }}};
  for (const auto& [kind, f] : functions) {
    Tile src(DType::f32, {3, 40}), dst(DType::f16, {3, 40});
    src.fill([&] { return static_cast<double>(1 + below(rng, 500)) / 100; });
    apply(kind, dst.write(), src.read(), {});
    const auto in = src.values(), out = dst.values();
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], rounded(DType::f16, static_cast<float>(f(in[i]))));
    }
  }
}

TEST(TransposeOp, WorksBetweenTypesAndInPlace) {
  Rng rng(4);
  Tile src(DType::i32, {6, 9}), dst(DType::f32, {9, 6}), square(DType::f32, {20, 20});
  src.fill([&] { return static_cast<double>(below(rng, 100)); });
  permute(dst.write(), src.read(), {1, 0}, {});
  for (std::size_t i = 0; i < 54; ++i) ASSERT_EQ(dst.values()[i % 9 * 6 + i / 9], src.values()[i]);
  square.fill([&] { return static_cast<double>(below(rng, 100)); });
  const auto before = square.values();
  const TileView view = square.read();
  permute(square.write(), view, {1, 0}, {});
  for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(square.values()[i % 20 * 20 + i / 20], before[i]);
}

TEST(ReduceOp, AddsAscendingAndKeepsNan) {
  Tile src(DType::f32, {2, 3}), rows(DType::f32, {2, 1}), cols(DType::f32, {1, 3});
  const std::vector<double> values{1e8, 1, -1e8, 2, NAN, 5};
  std::size_t next = 0;
  src.fill([&] { return values[next++]; });
  reduce(Reduce::sum, 1, rows.write(), src.read(), {});
  EXPECT_EQ(rows.values()[0], 0);  // 1e8 + 1 is 1e8 in f32
  EXPECT_TRUE(std::isnan(rows.values()[1]));
  reduce(Reduce::max, 1, rows.write(), src.read(), {});
  EXPECT_EQ(rows.values()[0], 1e8F);
  EXPECT_TRUE(std::isnan(rows.values()[1]));
  reduce(Reduce::max, 0, cols.write(), src.read(), {});
  EXPECT_EQ(cols.values()[2], 5);
  EXPECT_TRUE(std::isnan(cols.values()[1]));
  Rng rng(5);
  Tile large(DType::i32, {40, 700}), sums(DType::i64, {1, 700}), totals(DType::i64, {40, 1});
  large.fill([&] { return static_cast<double>(below(rng, 1 << 30)); });
  reduce(Reduce::sum, 0, sums.write(), large.read(), {});
  reduce(Reduce::sum, 1, totals.write(), large.read(), {});
  const auto all = large.values();
  double last_col = 0, last_row = 0;
  for (std::size_t i = 0; i < 40; ++i) last_col += all[i * 700 + 699];
  for (std::size_t j = 0; j < 700; ++j) last_row += all[39 * 700 + j];
  EXPECT_EQ(sums.values()[699], last_col);
  EXPECT_EQ(totals.values()[39], last_row);
}

// So a sum of integers does not depend on the order, even if partial sums overflow their type.
TEST(BinaryOp, OfIntegersWrapsInTheWidestTypeAndSaturatesIntoANarrowerOne) {
  Tile big(DType::i32, {1, 2}), small(DType::i8, {1, 2}), wide(DType::i64, {1, 2}),
      sum(DType::i32, {1, 1});
  big.fill([] { return 2147483647.0; });
  binary(Binary::add, big.write(), big.read(), TileView::of(std::int64_t{1}), {});
  EXPECT_EQ(big.values()[0], -2147483648.0);
  binary(Binary::sub, big.write(), big.read(), TileView::of(std::int64_t{1}), {});
  EXPECT_EQ(big.values()[0], 2147483647.0);
  binary(Binary::add, wide.write(), big.read(), big.read(), {});
  EXPECT_EQ(wide.values()[0], 4294967294.0);
  reduce(Reduce::sum, 1, sum.write(), big.read(), {});
  EXPECT_EQ(sum.values()[0], -2);
  binary(Binary::add, small.write(), big.read(), TileView::of(std::int64_t{0}), {});
  EXPECT_EQ(small.values()[0], 127) << "2147483647 saturates";
  binary(Binary::add, small.write(), small.read(), TileView::of(std::int64_t{1}), {});
  EXPECT_EQ(small.values()[0], -128);
}

// dst = a + b for arbitrary rectangles of one buffer.
TEST(BinaryOp, ReadsItsSourcesBeforeItWritesThem) {
  Rng rng(6);
  for (int round = 0; round < 200; ++round) {
    Tile tile(DType::f32, {24, 24}, rng() % 2 != 0 ? std::vector<int>{1, 0} : std::vector<int>{});
    tile.fill([&] { return static_cast<double>(below(rng, 1000)); });
    const std::int64_t rows = 1 + below(rng, 20), cols = 1 + below(rng, 20);
    const auto place = [&] {
      return rng() % 3 == 0 ? box(0, rows, 0, cols)
                            : box(below(rng, 25 - rows), rows, below(rng, 25 - cols), cols);
    };
    const Box to = place(), from_a = place(), from_b = place();
    const auto before = tile.values();
    const TileView a = tile.storage->read(from_a), b = tile.storage->read(from_b);
    binary(Binary::add, tile.storage->write(to), a, b, {});
    const auto after = tile.values();
    for (std::int64_t i = 0; i < 24 * 24; ++i) {
      const std::int64_t r = i / 24 - to.start[0], c = i % 24 - to.start[1];
      const auto old = [&](const Box& from) {
        return before[static_cast<std::size_t>((from.start[0] + r) * 24 + from.start[1] + c)];
      };
      const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
      ASSERT_EQ(after[static_cast<std::size_t>(i)],
                inside ? old(from_a) + old(from_b) : before[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(Undefined, SpreadsByElementWithItsOrigin) {
  Tile a(DType::f32, {1, 4}), b(DType::f32, {3, 4}), dst(DType::f32, {3, 4});
  a.fill(box(0, 1, 0, 3), [] { return 1.0; });
  b.fill(box(0, 2, 0, 4), [] { return 2.0; });
  binary(Binary::add, dst.write(), a.read(), b.read(), {Math::library, PlaceId(42)});
  EXPECT_EQ(dst.defined(), (std::vector<bool>{1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(dst.storage->origin({0, 3}), (Origin{PlaceId(1), PlaceId(42)}));
  // In place: undefined elements stay undefined.
  const TileView self = dst.read();
  binary(Binary::mul, dst.write(), self, TileView::of(2.0F), {});
  EXPECT_EQ(dst.defined(), (std::vector<bool>{1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0}));
  Tile rows(DType::f32, {3, 1}), cols(DType::f32, {1, 4}), turned(DType::f32, {4, 3});
  reduce(Reduce::sum, 1, rows.write(), dst.read(), {});
  EXPECT_EQ(rows.defined(), (std::vector<bool>{0, 0, 0}));
  reduce(Reduce::sum, 0, cols.write(), b.read(), {});
  EXPECT_EQ(cols.defined(), (std::vector<bool>{0, 0, 0, 0}));
  reduce(Reduce::max, 1, rows.write(), b.read(), {});
  EXPECT_EQ(rows.defined(), (std::vector<bool>{1, 1, 0}));
  permute(turned.write(), b.read(), {1, 0}, {});
  EXPECT_EQ(turned.defined(), (std::vector<bool>{1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0}));
  cast(dst.write(), TileView::of(0.0F), {});
  EXPECT_TRUE(dst.storage->is_initialised(dst.whole()));
}

TEST(Undefined, SelectNeedsOnlyTheChosenElement) {
  Tile condition(DType::i32, {1, 4}), a(DType::f32, {1, 4}), b(DType::f32, {1, 4}),
      dst(DType::f32, {1, 4});
  int next = 0;
  condition.fill(box(0, 1, 0, 3), [&] { return next++ % 2 == 0 ? 1.0 : 0.0; });
  a.fill(box(0, 1, 0, 1), [] { return 5.0; });
  b.fill(box(0, 1, 1, 1), [] { return 6.0; });
  select(dst.write(), condition.read(), a.read(), b.read(), {});
  EXPECT_EQ(dst.defined(), (std::vector<bool>{1, 1, 0, 0}));
  EXPECT_EQ(dst.values()[0], 5);
  EXPECT_EQ(dst.values()[1], 6);
}

TEST(Undefined, TaintsRowsAndColumnsOfAProduct) {
  for (const Math math : {Math::library, Math::exact, Math::none}) {
    for (const bool turned : {false, true}) {
      Tile acc(DType::f32, {3, 4}), a(DType::f32, {3, 2}),
          b(DType::f32, turned ? Shape{4, 2} : Shape{2, 4});
      acc.fill([] { return 1.0; });
      a.fill(box(0, 2, 0, 2), [] { return 2.0; });
      a.fill(box(2, 1, 0, 1), [] { return 2.0; });
      b.fill(turned ? box(0, 3, 0, 2) : box(0, 2, 0, 3), [] { return 3.0; });
      matmul(acc.storage->update(acc.whole()), a.read(), b.read(), {false, turned},
             {math, PlaceId(1)});
      EXPECT_EQ(acc.defined(), (std::vector<bool>{1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0}));
      EXPECT_EQ(acc.values()[0], math == Math::none ? 1 : 13);
    }
  }
}

TEST(MatmulOp, MayReadWhatItAccumulatesInto) {
  Tile tile(DType::f32, {2, 2});
  double next = 1;
  tile.fill([&] { return next++; });
  const TileView view = tile.read();
  matmul(tile.storage->update(tile.whole()), view, view, {true, false}, {});
  EXPECT_EQ(tile.values(), (std::vector<double>{11, 16, 17, 24}));  // x + x^T x
}

}  // namespace
}  // namespace tessera::tile
