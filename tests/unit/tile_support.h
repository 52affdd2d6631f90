// Tiles of one buffer each, for tests of tile ops.
#pragma once
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/data/convert.h"
#include "interp/memory/storage.h"

namespace tessera::tile {

using Rng = std::mt19937_64;

inline std::int64_t below(Rng& rng, std::int64_t n) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
}

inline constexpr DType integer_types[] = {DType::i8,  DType::u8,  DType::i16, DType::u16,
                                          DType::i32, DType::u32, DType::i64};
inline constexpr DType all_types[] = {DType::f32,  DType::bf16, DType::f16, DType::e4m3,
                                      DType::e5m2, DType::i8,   DType::u8,  DType::i16,
                                      DType::u16,  DType::i32,  DType::u32, DType::i64};

// Scratch memory of one buffer, with access to single elements.
struct Tile {
  Buffer buffer;
  std::unique_ptr<Storage> storage;

  Tile(DType dtype, Shape shape, std::vector<int> order = {}) {
    buffer.space = Space::vmem;
    buffer.dtype = dtype;
    buffer.shape = std::move(shape);
    buffer.order = std::move(order);
    storage = std::make_unique<Storage>(buffer, Checks::on);
    storage->allocate(PlaceId(1));
  }
  Box whole() const { return storage->whole(); }
  void fill(const Box& box, const std::function<double()>& draw) {
    const TileView view = storage->write(box);
    for (std::int64_t i = 0; i < view.elements(); ++i)
      store_element(stretch(view, i, 1).data, buffer.dtype, draw());
    storage->initialise(box);
  }
  void fill(const std::function<double()>& draw) { fill(whole(), draw); }
  std::vector<double> values() {
    const TileView view = storage->read(whole());
    std::vector<double> result;
    for (std::int64_t i = 0; i < view.elements(); ++i)
      result.push_back(load_element(stretch(view, i, 1).data, buffer.dtype));
    return result;
  }
  std::vector<bool> defined() {
    const TileView view = storage->read(whole());
    std::vector<bool> result;
    for (std::int64_t i = 0; i < view.elements(); ++i)
      result.push_back(stretch(view, i, 1).initialised_at(0));
    return result;
  }
  TileView read() { return storage->read(whole()); }
  TileView write() { return storage->write(whole()); }
};

inline double rounded(DType dtype, double value) {
  std::byte bytes[8];
  store_element(bytes, dtype, value);
  return load_element(bytes, dtype);
}

}  // namespace tessera::tile
