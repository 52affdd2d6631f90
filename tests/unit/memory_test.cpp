// Storages, snapshots and shadow state, compared with a model that copies immediately.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "interp/memory/storage.h"

namespace tessera {
namespace {

using Rng = std::mt19937_64;

std::int64_t below(Rng& rng, std::int64_t n) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
}

Buffer scratch(Shape shape, DType dtype = DType::f32, Space space = Space::vmem) {
  Buffer buffer;
  buffer.name = "x";
  buffer.space = space;
  buffer.dtype = dtype;
  buffer.shape = std::move(shape);
  return buffer;
}

Buffer bound(Role role, Shape shape, DType dtype = DType::f32) {
  Buffer buffer = scratch(std::move(shape), dtype, Space::hbm);
  buffer.role = role;
  buffer.place = PlaceId(7);
  return buffer;
}

Box box(std::initializer_list<std::pair<std::int64_t, std::int64_t>> dims,
        std::uint8_t dropped = 0) {
  Box result;
  result.dropped = dropped;
  for (const auto& [start, size] : dims) {
    result.start[Box::at(result.rank)] = start;
    result.size[Box::at(result.rank)] = size;
    ++result.rank;
  }
  return result;
}

float value_at(const TileView& view, std::int64_t i, std::int64_t j) {
  float value;
  std::memcpy(&value, view.data + (i * view.stride[0] + j * view.stride[1]) * 4, 4);
  return value;
}

void fill(Storage& storage, const Box& where, float value) {
  const TileView view = storage.write(where);
  for (std::int64_t i = 0; i < view.elements(); ++i) {
    const TileView one = stretch(view, i, 1);
    std::memcpy(one.data, &value, 4);
  }
  storage.initialise(where);
}

TEST(BitPlane, AgreesWithAVectorOfBools) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    const std::int64_t n = 1 + below(rng, 400);
    BitPlane plane(n);
    std::vector<bool> model(static_cast<std::size_t>(n));
    for (int step = 0; step < 40; ++step) {
      const std::int64_t begin = below(rng, n), length = below(rng, n - begin + 1);
      const bool value = rng() % 2 != 0;
      if (value)
        plane.set(begin, length);
      else
        plane.clear(begin, length);
      std::fill_n(model.begin() + begin, length, value);
      const std::int64_t from = below(rng, n), count = below(rng, n - from + 1);
      const auto first = std::find(model.begin() + from, model.begin() + from + count, !value);
      const bool found = first != model.begin() + from + count;
      EXPECT_EQ(plane.find(from, count, !value), found ? first - model.begin() : -1);
      EXPECT_EQ(plane.all(from, count),
                std::count(model.begin() + from, model.begin() + from + count, false) == 0);
      EXPECT_EQ(plane.count(), std::count(model.begin(), model.end(), true));
    }
    std::vector<bool> seen(static_cast<std::size_t>(n));
    plane.for_each(0, n, true, [&](std::int64_t at, std::int64_t length) {
      std::fill_n(seen.begin() + at, length, true);
    });
    EXPECT_EQ(seen, model);
  }
}

TEST(Storage, NamesTheDimensionThatABoxLeaves) {
  const Buffer buffer = scratch({4, 6});
  const Storage storage(buffer, Checks::on);
  EXPECT_EQ(storage.outside(box({{0, 4}, {0, 6}})), -1);
  EXPECT_EQ(storage.outside(box({{4, 0}, {6, 0}})), -1);
  EXPECT_EQ(storage.outside(box({{1, 4}, {0, 6}})), 0);
  EXPECT_EQ(storage.outside(box({{0, 4}, {-1, 2}})), 1);
  EXPECT_EQ(storage.outside(box({{0, 4}, {2, -1}})), 1);
  EXPECT_EQ(storage.outside(box({{0, 4}, {INT64_MAX, INT64_MAX}})), 1);
}

TEST(Storage, StoresInTheBuffersOrder) {
  Buffer buffer = bound(Role::in, {2, 3});
  buffer.order = {1, 0};
  Tensor tensor(DType::f32, {3, 2});
  for (std::int64_t i = 0; i < 6; ++i) tensor.set(i, static_cast<double>(i));
  Storage storage(buffer, tensor, Checks::on);
  const TileView view = storage.read(storage.whole());
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j)
      EXPECT_EQ(value_at(view, i, j), static_cast<float>(j * 2 + i));
  }
}

TEST(Storage, DroppedDimensionsAreNotPartOfAView) {
  const Buffer buffer = scratch({2, 3, 4});
  Storage storage(buffer, Checks::on);
  storage.allocate(PlaceId(1));
  const TileView view = storage.write(box({{1, 1}, {0, 3}, {2, 1}}, 0b101));
  EXPECT_EQ(view.rank, 1);
  EXPECT_EQ(view.size[0], 3);
  EXPECT_EQ(view.stride[0], 4);
}

TEST(Storage, UndefinedElementsAreFoundWithTheirOriginAndReadAsNan) {
  const Buffer buffer = scratch({4, 4});
  Storage storage(buffer, Checks::on);
  storage.allocate(PlaceId(5));
  fill(storage, box({{0, 2}, {0, 4}}), 1);
  EXPECT_TRUE(storage.read(box({{0, 2}, {1, 2}})).initialised());
  const TileView view = storage.read(box({{1, 2}, {1, 2}}));
  EXPECT_FALSE(view.initialised());
  EXPECT_TRUE(view.initialised_at(0));
  EXPECT_FALSE(view.initialised_at(view.stride[0]));
  EXPECT_EQ(value_at(view, 0, 1), 1);
  EXPECT_TRUE(std::isnan(value_at(view, 1, 1)));
  const Index first = storage.first_uninitialised(box({{1, 2}, {1, 2}}));
  EXPECT_EQ(first, (Index{2, 1}));
  EXPECT_EQ(storage.origin(first), (Origin{PlaceId(5), {}}));
  storage.fresh(box({{2, 2}, {0, 4}}), PlaceId(9));
  EXPECT_EQ(storage.origin(first), (Origin{PlaceId(9), {}}));
}

TEST(Storage, WithChecksOffEverythingCountsAsInitialised) {
  const Buffer buffer = scratch({4, 4});
  Storage storage(buffer, Checks::off);
  storage.allocate(PlaceId(5));
  EXPECT_TRUE(storage.read(storage.whole()).initialised());
  EXPECT_EQ(value_at(storage.read(storage.whole()), 3, 3), 0);
  storage.fresh(storage.whole(), PlaceId(1));
  EXPECT_TRUE(storage.is_initialised(storage.whole()));
  EXPECT_FALSE(storage.never_written());
}

TEST(Storage, ScalarsKeepTheirRange) {
  const Buffer bytes = scratch({3}, DType::i8, Space::smem),
               counts = scratch({3}, DType::u32, Space::smem);
  const Buffer reals = scratch({3}, DType::bf16, Space::smem);
  Storage a(bytes, Checks::on), b(counts, Checks::on), c(reals, Checks::on);
  for (Storage* storage : {&a, &b, &c}) storage->allocate(PlaceId(0));
  const Box one = box({{1, 1}}, 1);
  EXPECT_TRUE(a.store_integer(one, -128));
  EXPECT_EQ(a.load_integer(one), -128);
  EXPECT_FALSE(a.store_integer(one, 128));
  EXPECT_EQ(a.load_integer(one), -128);
  EXPECT_FALSE(b.store_integer(one, -1));
  EXPECT_FALSE(b.is_initialised(one));
  EXPECT_TRUE(b.store_integer(one, 4294967295));
  EXPECT_EQ(b.load_integer(one), 4294967295);
  EXPECT_FALSE(b.store_integer(one, 4294967296));
  c.store_real(one, 1.00390625);  // a tie: to even
  EXPECT_EQ(c.load_real(one), 1.0F);
  EXPECT_FALSE(c.is_initialised(box({{0, 1}}, 1)));
}

TEST(Storage, PadZeroesWhatLiesOutside) {
  const Buffer buffer = scratch({5, 6});
  Storage storage(buffer, Checks::on);
  storage.allocate(PlaceId(0));
  const Box slot = storage.whole(), inside = box({{0, 3}, {2, 2}});
  storage.fresh(slot, PlaceId(0));
  storage.pad(slot, inside);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      const Box one = box({{i, 1}, {j, 1}});
      const bool in = contains(inside, one);
      EXPECT_EQ(storage.is_initialised(one), !in);
      if (!in) {
        EXPECT_EQ(storage.load_real(one), 0);
      }
    }
  }
  storage.fresh(slot, PlaceId(0));
  storage.pad(slot, slot);
  EXPECT_FALSE(storage.is_initialised(box({{0, 1}, {0, 1}})));
  storage.pad(slot, box({{0, 0}, {0, 6}}));
  EXPECT_TRUE(storage.is_initialised(slot));
}

TEST(Storage, OnlyStoredElementsAreWrittenBack) {
  const Buffer slot_buffer = scratch({2, 8, 8}), out_buffer = bound(Role::out, {8, 8});
  Tensor tensor(DType::f32, {8, 8});
  Storage slot(slot_buffer, Checks::on), out(out_buffer, tensor, Checks::on);
  slot.allocate(PlaceId(0));
  out.once(0);
  const Box slice = box({{1, 1}, {0, 8}, {0, 8}}, 1);
  slot.fresh(slice, PlaceId(1));
  fill(slot, box({{1, 1}, {2, 3}, {0, 8}}, 1), 4);
  EXPECT_EQ(out.land_stored(out.whole(), slot.snapshot_stored(slice), PlaceId(2), 0), std::nullopt);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(tensor.at(i * 8 + 3), i >= 2 && i < 5 ? 4 : 0);
  const auto missing = out.never_written();
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->elements, 40);
  EXPECT_TRUE(same_rectangle(missing->first, box({{0, 2}, {0, 8}})));

  slot.fresh(slice, PlaceId(1));
  fill(slot, box({{1, 1}, {5, 3}, {0, 8}}, 1), 5);
  EXPECT_EQ(out.land_stored(out.whole(), slot.snapshot_stored(slice), PlaceId(2), 0), std::nullopt);
  fill(slot, box({{1, 1}, {3, 1}, {6, 1}}, 1), 6);
  EXPECT_EQ(out.land_stored(out.whole(), slot.snapshot_stored(slice), PlaceId(2), 0),
            (Index{3, 6}));
  out.once(0);
  EXPECT_EQ(out.land_stored(out.whole(), slot.snapshot_stored(slice), PlaceId(2), 0), std::nullopt);
  fill(out, box({{0, 2}, {0, 8}}), 0);
  EXPECT_FALSE(out.never_written());
}

// In any order of completion.
TEST(Storage, AWriteBackCountsWithThoseOfItsTime) {
  const Buffer slot_buffer = scratch({8, 8}), out_buffer = bound(Role::out, {8, 8});
  Tensor tensor(DType::f32, {8, 8});
  Storage slot(slot_buffer, Checks::on), out(out_buffer, tensor, Checks::on);
  slot.allocate(PlaceId(0));
  slot.fresh(slot.whole(), PlaceId(1));
  fill(slot, slot.whole(), 4);
  const auto land = [&](std::int64_t since) {
    const auto again =
        out.land_stored(out.whole(), slot.snapshot_stored(slot.whole()), PlaceId(2), 0, since);
    out.end_write_back(0, since);
    return again;
  };
  out.once(0);
  const std::int64_t first = out.start_write_back(0), second = out.start_write_back(0);
  out.once(0);
  const std::int64_t later = out.start_write_back(0);
  EXPECT_NE(first, later);
  EXPECT_EQ(land(later), std::nullopt);
  EXPECT_EQ(land(first), std::nullopt);
  EXPECT_EQ(land(second), (Index{0, 0}));
  EXPECT_EQ(land(out.start_write_back(0)), (Index{0, 0}));
}

TEST(Storage, WriteBackOfAnUndefinedStoredElementIsSeen) {
  const Buffer slot_buffer = scratch({40, 40}), out_buffer = bound(Role::out, {40, 40});
  Tensor tensor(DType::f32, {40, 40});
  Storage slot(slot_buffer, Checks::on), out(out_buffer, tensor, Checks::on);
  slot.allocate(PlaceId(3));
  slot.fresh(slot.whole(), PlaceId(4));
  fill(slot, box({{0, 10}, {0, 40}}), 1);
  EXPECT_TRUE(slot.snapshot_stored(slot.whole()).initialised());
  EXPECT_FALSE(slot.snapshot(slot.whole()).initialised());
  slot.write(box({{20, 1}, {5, 2}}));  // stored, never initialised
  const Snapshot snapshot = slot.snapshot_stored(slot.whole());
  ASSERT_FALSE(snapshot.initialised());
  EXPECT_EQ(snapshot.first_uninitialised(), (Index{20, 5}));
  EXPECT_EQ(snapshot.origin(), (Origin{PlaceId(4), {}}));
  out.land_stored(out.whole(), snapshot, PlaceId(8), 0);
  EXPECT_TRUE(out.is_initialised(box({{0, 10}, {0, 40}})));
  EXPECT_FALSE(out.is_initialised(box({{20, 1}, {5, 1}})));
  EXPECT_EQ(out.origin({20, 6}), (Origin{PlaceId(4), PlaceId(8)}));
}

TEST(Storage, AccumulatingCopiesRoundOnce) {
  const Buffer a_buffer = scratch({2}, DType::bf16), b_buffer = scratch({2}, DType::bf16);
  Storage a(a_buffer, Checks::on), b(b_buffer, Checks::on);
  a.allocate(PlaceId(0));
  b.allocate(PlaceId(1));
  a.store_real(box({{0, 1}}), 256);
  b.store_real(box({{0, 1}}), 1);  // 257 ties to 256
  b.store_real(box({{1, 1}}), 3);
  a.land_add(a.whole(), b.snapshot(b.whole()), PlaceId(2));
  EXPECT_EQ(a.load_real(box({{0, 1}})), 256);
  EXPECT_FALSE(a.is_initialised(box({{1, 1}})));
  a.store_real(box({{1, 1}}), 256);
  a.land_add(a.whole(), b.snapshot(b.whole()), PlaceId(2));
  EXPECT_EQ(a.load_real(box({{1, 1}})), 260);  // 259 to bf16's 258 or 260
}

// A large copy is deferred. Its source may change or be freed before and after the copy completes.
TEST(Snapshot, KeepsWhatItSaw) {
  const Buffer source_buffer = scratch({64, 64}, DType::f32, Space::hbm),
               slot_buffer = scratch({64, 64});
  Storage source(source_buffer, Checks::on), slot(slot_buffer, Checks::on);
  source.allocate(PlaceId(0));
  slot.allocate(PlaceId(0));
  fill(source, source.whole(), 1);
  Snapshot early = source.snapshot(source.whole());
  fill(source, box({{0, 1}, {0, 64}}), 2);
  slot.land(slot.whole(), early, PlaceId(0));
  EXPECT_EQ(value_at(slot.read(slot.whole()), 0, 0), 1);

  slot.land(slot.whole(), source.snapshot(source.whole()), PlaceId(0));
  EXPECT_EQ(slot.read(slot.whole()).data, source.read(source.whole()).data);
  EXPECT_EQ(slot.read(box({{3, 2}, {5, 6}})).data, source.read(box({{3, 2}, {5, 6}})).data);
  source.release();
  EXPECT_EQ(value_at(slot.read(slot.whole()), 0, 63), 2);
  EXPECT_EQ(value_at(slot.read(slot.whole()), 1, 0), 1);
}

// Two halves with different sources are copied together, and their bytes are not moved.
TEST(Snapshot, OfSeveralAliasesKeepsThemAll) {
  const Buffer half = scratch({32, 64}, DType::f32, Space::hbm),
               gathered_buffer = scratch({2, 64, 64}, DType::f32, Space::hbm),
               slot_buffer = scratch({64, 64});
  Storage top(half, Checks::on), bottom(half, Checks::on), gathered(gathered_buffer, Checks::on),
      slot(slot_buffer, Checks::on);
  for (Storage* storage : {&top, &bottom, &gathered, &slot}) storage->allocate(PlaceId(0));
  fill(top, top.whole(), 1);
  fill(bottom, bottom.whole(), 2);
  const Box both = box({{1, 1}, {0, 64}, {0, 64}}, 1);
  gathered.land(box({{1, 1}, {0, 32}, {0, 64}}, 1), top.snapshot(top.whole()), PlaceId(0));
  gathered.land(box({{1, 1}, {32, 32}, {0, 64}}, 1), bottom.snapshot(bottom.whole()), PlaceId(0));

  const Snapshot snapshot = gathered.snapshot(both);
  EXPECT_TRUE(snapshot.initialised());
  slot.land(slot.whole(), snapshot, PlaceId(0));
  EXPECT_EQ(slot.read(box({{0, 32}, {0, 64}})).data, top.read(top.whole()).data);
  EXPECT_EQ(slot.read(box({{40, 8}, {16, 8}})).data, bottom.read(box({{8, 8}, {16, 8}})).data);

  fill(bottom, box({{0, 1}, {0, 64}}), 5);
  EXPECT_EQ(value_at(slot.read(slot.whole()), 32, 0), 2);
  EXPECT_EQ(value_at(slot.read(slot.whole()), 31, 63), 1);
  EXPECT_EQ(value_at(gathered.read(both), 32, 63), 2);
  slot.land_add(slot.whole(), snapshot, PlaceId(0));
  EXPECT_EQ(value_at(slot.read(slot.whole()), 31, 63), 2);
  EXPECT_EQ(value_at(slot.read(slot.whole()), 32, 0), 4);
}

// Idle scratch tracks initialised and stored elements, but has no bytes.
TEST(Storage, IdleScratchTracksWithoutBytes) {
  const Buffer idle_buffer = scratch({8, 64}), out_buffer = bound(Role::out, {8, 64});
  Tensor tensor(DType::f32, {8, 64});
  Storage idle(idle_buffer, Checks::on, Contents::idle), out(out_buffer, tensor, Checks::on);
  idle.allocate(PlaceId(0));
  idle.fresh(idle.whole(), PlaceId(1));
  EXPECT_EQ(idle.write(box({{0, 4}, {0, 64}})).data, nullptr);
  idle.initialise(box({{0, 4}, {0, 64}}));
  EXPECT_FALSE(idle.read(idle.whole()).initialised());
  EXPECT_EQ(idle.first_uninitialised(idle.whole()), (Index{4, 0}));
  out.land_stored(out.whole(), idle.snapshot_stored(idle.whole()), PlaceId(2), 0);
  EXPECT_TRUE(out.is_initialised(box({{0, 4}, {0, 64}})));
  EXPECT_FALSE(out.is_initialised(box({{4, 1}, {0, 64}})));
  idle.land(idle.whole(), out.snapshot(out.whole(), false), PlaceId(3));
  EXPECT_EQ(idle.origin({4, 0}), (Origin{out_buffer.place, PlaceId(3)}));
  idle.land_add(idle.whole(), out.snapshot(out.whole(), false), PlaceId(3));
  idle.pad(idle.whole(), box({{0, 4}, {0, 64}}));
  EXPECT_TRUE(idle.is_initialised(idle.whole()));
}

// Reference model for storages: copies immediately, element by element.
struct Model {
  Shape shape;
  std::vector<float> values;
  std::vector<char> init, stored;

  std::size_t at(const Index& index) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + index[d];
    return static_cast<std::size_t>(offset);
  }
};

struct ModelCopy {
  std::vector<float> values;
  std::vector<char> init, stored;
};

template <typename F>
void for_each(const Box& where, F&& f) {
  for (std::int64_t i = 0; i < where.elements(); ++i)
    f(index_in(where, i), static_cast<std::size_t>(i));
}

void agrees(Storage& storage, const Model& model, const Box& where) {
  const TileView view = storage.read(where);
  bool initialised = true;
  for_each(where, [&](const Index& index, std::size_t i) {
    const std::size_t e = model.at(index);
    const bool defined = model.init[e] != 0;
    initialised = initialised && defined;
    const TileView one = stretch(view, static_cast<std::int64_t>(i), 1);
    ASSERT_EQ(one.initialised_at(0), defined);
    float value;
    std::memcpy(&value, one.data, 4);
    ASSERT_TRUE(defined ? value == model.values[e] : std::isnan(value));
  });
  ASSERT_EQ(view.initialised(), initialised);
}

class CopyOnWrite : public testing::TestWithParam<int> {};

TEST_P(CopyOnWrite, IsIndistinguishableFromCopying) {
  Rng rng(static_cast<std::uint64_t>(GetParam()));
  const auto random_box = [&](const Shape& shape, std::int64_t height, std::int64_t width) {
    return box({{below(rng, shape[0]), 1},
                {below(rng, shape[1] - height + 1), height},
                {below(rng, shape[2] - width + 1), width}},
               1);
  };
  std::vector<Buffer> buffers{bound(Role::in, {1, 48, 40}), scratch({2, 40, 48}),
                              scratch({3, 32, 32}), scratch({1, 40, 40}, DType::f32, Space::hbm)};
  buffers[2].order = {0, 2, 1};
  buffers[3].order = {2, 0, 1};
  Tensor operand(DType::f32, {1, 48, 40});
  for (std::int64_t i = 0; i < operand.elements(); ++i)
    operand.set(i, static_cast<double>(i % 1000) + 0.5);
  std::vector<std::unique_ptr<Storage>> storages;
  std::vector<Model> models;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto n = static_cast<std::size_t>(elements(buffers[i].shape));
    models.push_back(
        {buffers[i].shape, std::vector<float>(n), std::vector<char>(n), std::vector<char>(n)});
    if (i == 0) {
      storages.push_back(std::make_unique<Storage>(buffers[0], operand, Checks::on));
      for (std::size_t e = 0; e < n; ++e) models[0].values[e] = operand.as<float>()[e];
      models[0].init.assign(n, 1);
    } else {
      storages.push_back(std::make_unique<Storage>(buffers[i], Checks::on));
      storages[i]->allocate(PlaceId(0));
      fill(*storages[i], storages[i]->whole(), 1);
      models[i].values.assign(n, 1);
      models[i].init.assign(n, 1);
    }
  }
  std::map<int, std::pair<Snapshot, ModelCopy>> flights;
  std::map<int, std::pair<std::int64_t, std::int64_t>> sizes;
  std::set<std::size_t> slots;
  std::map<std::size_t, Box> targets;
  // With probability 1/2, a part of the last copy to this storage, which may be an alias.
  const auto pick = [&](std::size_t which, std::int64_t largest) {
    const auto landed = targets.find(which);
    if (landed == targets.end() || rng() % 2 != 0) {
      return random_box(models[which].shape, 1 + below(rng, largest), 1 + below(rng, largest));
    }
    Box part = landed->second;
    for (const std::size_t d : {1, 2}) {
      part.start[d] += below(rng, part.size[d]);
      part.size[d] = 1 + below(rng, landed->second.end(static_cast<int>(d)) - part.start[d]);
    }
    return part;
  };
  int next_flight = 0;
  float next_value = 10000;
  for (int step = 0; step < 600; ++step) {
    const auto which = static_cast<std::size_t>(below(rng, 4));
    Storage& storage = *storages[which];
    Model& model = models[which];
    const Box where = pick(which, 32);
    switch (below(rng, 7)) {
      case 0:
      case 1: {  // read side
        ModelCopy copy;
        const bool stored_only = slots.count(which) != 0 && rng() % 2 != 0;
        Snapshot snapshot = stored_only ? storage.snapshot_stored(where) : storage.snapshot(where);
        bool initialised = true;
        for_each(where, [&](const Index& index, std::size_t) {
          const std::size_t e = model.at(index);
          const bool counts = !stored_only || model.stored[e] != 0;
          copy.values.push_back(model.values[e]);
          copy.init.push_back(model.init[e]);
          copy.stored.push_back(counts ? 1 : 0);
          initialised = initialised && (!counts || model.init[e] != 0);
        });
        ASSERT_EQ(snapshot.initialised(), initialised);
        sizes[next_flight] = {where.size[1], where.size[2]};
        flights.emplace(next_flight++, std::pair(std::move(snapshot), std::move(copy)));
        break;
      }
      case 2:
      case 3:
      case 4: {  // write side
        if (flights.empty()) break;
        auto flight = flights.begin();
        std::advance(flight, below(rng, static_cast<std::int64_t>(flights.size())));
        const auto [rows, cols] = sizes[flight->first];
        const Box target = random_box(model.shape, rows, cols);
        targets[which] = target;
        const ModelCopy& copy = flight->second.second;
        const bool whole =
            std::find(copy.stored.begin(), copy.stored.end(), 0) == copy.stored.end();
        const auto kind = whole ? below(rng, 3) : 2;
        if (kind == 0)
          storage.land_add(target, flight->second.first, PlaceId(1));
        else if (kind == 1)
          storage.land(target, flight->second.first, PlaceId(1));
        else
          storage.land_stored(target, flight->second.first, PlaceId(1), 0);
        for_each(target, [&](const Index& index, std::size_t i) {
          const std::size_t e = model.at(index);
          if (copy.stored[i] == 0) return;
          model.values[e] = kind == 0 ? model.values[e] + copy.values[i] : copy.values[i];
          model.init[e] = static_cast<char>(copy.init[i] & (kind == 0 ? model.init[e] : 1));
        });
        if (rng() % 3 != 0) flights.erase(flight);
        break;
      }
      case 5: {
        if (rng() % 2 != 0) {
          const TileView view = storage.update(where);
          for_each(where, [&](const Index& index, std::size_t i) {
            const TileView one = stretch(view, static_cast<std::int64_t>(i), 1);
            float value;
            std::memcpy(&value, one.data, 4);
            value += 1;
            std::memcpy(one.data, &value, 4);
            model.values[model.at(index)] += 1;
            model.stored[model.at(index)] = 1;
          });
          break;
        }
        fill(storage, where, next_value);
        for_each(where, [&](const Index& index, std::size_t) {
          model.values[model.at(index)] = next_value;
          model.init[model.at(index)] = model.stored[model.at(index)] = 1;
        });
        next_value += 1;
        break;
      }
      case 6: {
        if (which == 0 || rng() % 3 != 0) break;  // deferred copies need initialised sources
        if (below(rng, 10) == 0) {
          storage.release();
          storage.allocate(PlaceId(step));
          slots.erase(which);
          std::fill(model.init.begin(), model.init.end(), 0);
          std::fill(model.stored.begin(), model.stored.end(), 0);
          break;
        }
        const Box inside = box({{where.start[0], 1},
                                {where.start[1] + where.size[1] / 4, where.size[1] / 2},
                                {where.start[2], where.size[2]}},
                               1);
        if (slots.insert(which).second) std::fill(model.stored.begin(), model.stored.end(), 0);
        storage.fresh(where, PlaceId(step));
        storage.pad(where, inside);
        for_each(where, [&](const Index& index, std::size_t) {
          const std::size_t e = model.at(index);
          model.stored[e] = 0;
          model.init[e] = contains(inside, element(where, index)) ? 0 : 1;
          model.values[e] = 0;
        });
        break;
      }
      default:
        break;
    }
    agrees(storage, model, pick(which, 12));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CopyOnWrite, testing::Range(0, 80));

}  // namespace
}  // namespace tessera
