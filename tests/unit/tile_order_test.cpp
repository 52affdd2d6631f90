// Tile ops without arithmetic, compared with plain loops: values and undefined elements, for parts
// of larger memory and for memory stored in another order.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/data/convert.h"
#include "interp/memory/storage.h"
#include "interp/tiles/tile_ops_order.h"

namespace tessera::tile {
namespace {

using Rng = std::mt19937_64;

std::int64_t below(Rng& rng, std::int64_t n) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
}

// A rectangle of the shape inside larger scratch memory, with some undefined elements.
struct Tile {
  Buffer buffer;
  Box box;
  std::unique_ptr<Storage> storage;

  Tile(DType dtype, const Shape& shape, Rng& rng, int defined_of_8) {
    buffer.space = Space::vmem;
    buffer.dtype = dtype;
    box.rank = static_cast<std::int8_t>(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      box.start[d] = below(rng, 3);
      box.size[d] = shape[d];
      buffer.shape.push_back(shape[d] + box.start[d] + below(rng, 2));
    }
    if (below(rng, 2) == 0)
      for (int d = box.rank; d-- > 0;) buffer.order.push_back(d);
    storage = std::make_unique<Storage>(buffer, Checks::on);
    storage->allocate(PlaceId(1));
    for (std::int64_t i = 0; i < box.elements(); ++i) {
      if (below(rng, 8) >= defined_of_8) continue;
      const Box one = element(box, index_in(box, i));
      const TileView view = storage->write(one);
      const std::uint64_t bits = rng();
      std::memcpy(view.data, &bits, static_cast<std::size_t>(size_of(dtype)));
      storage->initialise(one);
    }
  }
  TileView read() { return storage->read(box); }
  TileView write() { return storage->write(box); }
  // Returns the bits of each element, in order; none for undefined elements.
  std::vector<std::optional<std::uint64_t>> bits() {
    std::vector<std::optional<std::uint64_t>> all;
    for (std::int64_t i = 0; i < box.elements(); ++i) {
      const Box one = element(box, index_in(box, i));
      all.emplace_back();
      if (!storage->is_initialised(one)) continue;
      std::uint64_t value = 0;
      std::memcpy(&value, storage->read(one).data, static_cast<std::size_t>(size_of(buffer.dtype)));
      all.back() = value;
    }
    return all;
  }
};

constexpr DType types[] = {DType::f32, DType::bf16, DType::i8, DType::i64};

TEST(TileOrder, ElementsKeepTheirOrderUnderAnotherShape) {
  Rng rng(1);
  const Shape shapes[] = {{24}, {4, 6}, {2, 3, 4}, {1, 24}, {6, 1, 4}, {2, 2, 3, 2}};
  for (int i = 0; i < 200; ++i) {
    const DType dtype = types[below(rng, 4)];
    Tile from(dtype, shapes[below(rng, 6)], rng, 6 + static_cast<int>(below(rng, 3)));
    Tile to(dtype, shapes[below(rng, 6)], rng, 4);
    const auto expected = from.bits();
    const TileView src = from.read();
    regroup(to.write(), src, {});
    EXPECT_EQ(to.bits(), expected);
  }
}

TEST(TileOrder, EachStepthElement) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const DType dtype = types[below(rng, 4)];
    const Shape shape = {1 + below(rng, 5), 1 + below(rng, 5), 1 + below(rng, 5)};
    const auto dim = static_cast<std::size_t>(below(rng, 3));
    const std::int64_t step = 1 + below(rng, 4);
    Shape result = shape;
    result[dim] = (shape[dim] + step - 1) / step;
    Tile from(dtype, shape, rng, 7), to(dtype, result, rng, 4);
    const auto all = from.bits();
    const TileView src = from.read();
    every(to.write(), src, static_cast<int>(dim), step, {});
    const auto got = to.bits();
    for (std::size_t k = 0; k < got.size(); ++k) {
      Index index = index_in(to.box, static_cast<std::int64_t>(k));
      for (int d = 0; d < 3; ++d) {
        const auto u = Box::at(d);
        index[u] = from.box.start[u] + (index[u] - to.box.start[u]) * (u == dim ? step : 1);
      }
      EXPECT_EQ(got[k], all[static_cast<std::size_t>(position_in(from.box, index))]);
    }
  }
}

// A wider element contains narrower elements along the dimension that differs; the first one is in
// the lowest bits.
TEST(TileOrder, BitsOfAnotherType) {
  Rng rng(3);
  constexpr DType narrow[] = {DType::bf16, DType::i8, DType::f32, DType::i8, DType::f32};
  constexpr DType wide[] = {DType::f32, DType::f32, DType::i64, DType::bf16, DType::i32};
  for (int i = 0; i < 300; ++i) {
    const auto pair = static_cast<std::size_t>(below(rng, 5));
    const std::int64_t bits = 8 * size_of(narrow[pair]),
                       count = size_of(wide[pair]) / size_of(narrow[pair]);
    Shape of_words = {1 + below(rng, 4), 1 + below(rng, 4), 1 + below(rng, 4)}, of_parts = of_words;
    const auto dim = static_cast<std::size_t>(below(rng, 3));
    of_parts[dim] *= count;
    Tile parts(narrow[pair], of_parts, rng, 7), words(wide[pair], of_words, rng, 7);
    const bool joins = below(rng, 2) == 0;
    const auto given = joins ? parts.bits() : words.bits();
    const TileView src = joins ? parts.read() : words.read();
    const TileView dst = joins ? words.write() : parts.write();
    ASSERT_EQ(bitcast_dim(dst, src), count == 1 ? -1 : static_cast<int>(dim));
    bitcast(dst, src, {});
    const auto small = joins ? given : parts.bits();
    const auto large = joins ? words.bits() : given;
    for (std::size_t k = 0; k < large.size(); ++k) {
      Index index = index_in(words.box, static_cast<std::int64_t>(k));
      for (int d = 0; d < 3; ++d) index[Box::at(d)] -= words.box.start[Box::at(d)];
      index[dim] *= count;
      bool is_defined = true;
      std::uint64_t value = 0;
      for (std::int64_t p = 0; p < count; ++p, ++index[dim]) {
        Index at = index;
        for (int d = 0; d < 3; ++d) at[Box::at(d)] += parts.box.start[Box::at(d)];
        const auto& part = small[static_cast<std::size_t>(position_in(parts.box, at))];
        if (joins) {
          is_defined = is_defined && part.has_value();
          if (part) value |= *part << (p * bits);
        } else if (large[k]) {
          const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
          EXPECT_EQ(part, (*large[k] >> (p * bits)) & mask);
        } else {
          EXPECT_FALSE(part.has_value());
        }
      }
      if (joins) {
        EXPECT_EQ(large[k].has_value(), is_defined);
        if (is_defined) {
          EXPECT_EQ(large[k], value);
        }
      }
    }
  }
  Tile a(DType::f32, {2, 4}, rng, 8), b(DType::bf16, {2, 4}, rng, 8), c(DType::f32, {4, 2}, rng, 8);
  EXPECT_EQ(bitcast_dim(a.read(), b.read()), -2);
  EXPECT_EQ(bitcast_dim(a.read(), c.read()), -2);
}

// An op that reads its destination.
TEST(TileOrder, ReadsBeforeItWrites) {
  Rng rng(4);
  Tile tile(DType::i64, {6, 4}, rng, 8);
  const auto before = tile.bits();
  const TileView src = tile.read();
  TileView across = src;
  across.size = {4, 6};
  across.stride = {src.stride[1], src.stride[0]};
  regroup(tile.write(), across, {});
  const auto after = tile.bits();
  for (std::size_t k = 0; k < after.size(); ++k)
    EXPECT_EQ(after[k], before[(k % 6) * 4 + k / 6]);  // transposed, row by row
}

}  // namespace
}  // namespace tessera::tile
