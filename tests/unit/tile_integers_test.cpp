// Bit operations, shifts, quotients and truncation, compared with plain loops over wide integers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/data/dtype_info.h"
#include "core/program/scalar.h"
#include "interp/tiles/tile_ops.h"
#include "tests/unit/tile_support.h"

namespace tessera::tile {
namespace {

using Wide = __int128;

int width(DType type) { return 8 * size_of(type); }

// Returns the integer of that type with the low bits of `value`.
Wide wrapped(DType type, Wide value) {
  const Wide count = Wide{1} << width(type);
  Wide rest = value % count;
  if (rest < 0) rest += count;
  return !is_unsigned(type) && rest >= count / 2 ? rest - count : rest;
}

bool bit(Wide value, int place) { return (value >> place & 1) != 0; }

// Reference implementation: computes bit by bit; division uses absolute values and signs.
Wide reference(IntegerBinary op, DType type, Wide a, Wide b) {
  if (op == IntegerBinary::mod || op == IntegerBinary::quotient || op == IntegerBinary::remainder) {
    if (b == 0) return 0;
    const Wide size_a = a < 0 ? -a : a, size_b = b < 0 ? -b : b;
    const Wide cut = (a < 0) != (b < 0) ? -(size_a / size_b) : size_a / size_b;
    if (op == IntegerBinary::quotient) return wrapped(type, cut);
    const Wide rest = a - b * cut;
    if (op == IntegerBinary::remainder) return wrapped(type, rest);
    return wrapped(type, rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  }
  const int bits = width(type);
  const bool left = op == IntegerBinary::shift_left, right = op == IntegerBinary::shift_right;
  const Wide value = wrapped(type, a);
  Wide result = 0;
  for (int i = 0; i < bits; ++i) {
    bool one = false;
    if (left || right) {
      const bool fill = right && !is_unsigned(type) && value < 0;
      const Wide from = b < 0 || b >= bits ? Wide{bits} * 4 : left ? i - b : i + b;
      one = from >= 0 && from < bits ? bit(value, static_cast<int>(from)) : fill;
    } else {
      const bool x = bit(a, i), y = bit(b, i);
      one = op == IntegerBinary::bit_and ? x && y : op == IntegerBinary::bit_or ? x || y : x != y;
    }
    if (one) result |= Wide{1} << i;
  }
  return wrapped(type, result);
}

TEST(IntegerOps, AgreeWithBitsOneByOne) {
  Rng rng(11);
  for (int round = 0; round < 600; ++round) {
    const DType left = integer_types[below(rng, 6)], right = integer_types[below(rng, 6)],
                to = integer_types[below(rng, std::ssize(integer_types))];
    const auto op = static_cast<IntegerBinary>(round % 8);
    Tile a(left, {3, 40}), b(right, {3, 1}),
        dst(to, {3, 40}, round % 3 == 0 ? std::vector<int>{1, 0} : std::vector<int>{});
    const auto draw = [&](DType type) {
      const Wide any = static_cast<Wide>(rng() >> below(rng, 64)) * (rng() % 2 != 0 ? 1 : -1);
      return static_cast<double>(wrapped(type, any));
    };
    a.fill([&] { return draw(left); });
    b.fill([&] { return rng() % 2 != 0 ? draw(right) : static_cast<double>(below(rng, 40)); });
    const bool has_number = round % 5 == 0;
    const std::int64_t number = below(rng, 70) - 3;
    integers(op, dst.write(), a.read(), has_number ? TileView::of(number) : b.read(), {});
    const bool shifts = op == IntegerBinary::shift_left || op == IntegerBinary::shift_right;
    DType type = left;
    if (!shifts && !has_number && left != right)
      type = size_of(left) == size_of(right)  ? DType::i64
             : size_of(left) > size_of(right) ? left
                                              : right;
    const auto x = a.values(), y = b.values(), got = dst.values();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Wide second = has_number ? Wide{number} : static_cast<Wide>(y[i / 40]);
      const Wide exact = reference(op, type, static_cast<Wide>(x[i]), second);
      ASSERT_EQ(got[i], rounded(to, static_cast<double>(exact)))
          << name(op) << " of " << name(left) << " " << x[i] << " and " << name(right) << " "
          << static_cast<double>(second) << " in " << name(type) << " to " << name(to);
    }
    EXPECT_TRUE(dst.storage->is_initialised(dst.whole()));
  }
}

TEST(IntegerOps, NumbersHaveTheTypeOfTheOtherOperand) {
  EXPECT_EQ(integer_type(IntegerBinary::bit_and, DType::u8, false, DType::i64, true), DType::u8);
  EXPECT_EQ(integer_type(IntegerBinary::shift_left, DType::i64, true, DType::u32, false),
            DType::u32);
  EXPECT_EQ(integer_type(IntegerBinary::shift_left, DType::u8, false, DType::i32, false),
            DType::u8);
  EXPECT_EQ(value_of(IntegerBinary::bit_xor, DType::u8, 5, -1), 250);
  EXPECT_EQ(value_of(IntegerBinary::quotient, DType::i32, std::numeric_limits<int>::min(), -1),
            std::numeric_limits<int>::min());
}

// Like XLA on CPU: jnp.float32(x).astype(t).
TEST(Truncate, GoesTowardsZeroAndSaturates) {
  const std::vector<double> values{1.5,  -1.5, 2.5, 300.7,    -300.7,   3e9,
                                   -3e9, 1e20, NAN, INFINITY, -INFINITY};
  for (const DType to : integer_types) {
    Tile src(DType::f32, {1, std::ssize(values)}), dst(to, {1, std::ssize(values)});
    std::size_t next = 0;
    src.fill([&] { return values[next++]; });
    truncate(dst.write(), src.read(), {});
    const auto from = src.values(), got = dst.values();
    const double most = dtype_info(to).largest,
                 least = is_unsigned(to) ? 0 : -std::ldexp(1, width(to) - 1);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double cut = std::isnan(from[i]) ? 0 : std::trunc(from[i]);
      EXPECT_EQ(got[i], std::min(std::max(cut, least), most)) << name(to) << " of " << from[i];
    }
  }
}

TEST(Truncate, OfIntegersKeepsTheLowBits) {
  Rng rng(13);
  for (const DType from : integer_types)
    for (const DType to : integer_types) {
      Tile src(from, {1, 50}), dst(to, {1, 50});
      src.fill([&] { return static_cast<double>(wrapped(from, static_cast<Wide>(rng() >> 14))); });
      truncate(dst.write(), src.read(), {});
      const auto x = src.values(), got = dst.values();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], static_cast<double>(wrapped(to, static_cast<Wide>(x[i]))))
            << name(from) << " " << x[i] << " to " << name(to);
    }
}

}  // namespace
}  // namespace tessera::tile
