// What a snapshot holds; for snapshot.cpp and the copies in storage_land.cpp.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "interp/memory/snapshot.h"

namespace tessera {

struct Snapshot::Body final : Dependent {
  TileView view;                                 // in the root, or compact in `copy`; parts: sizes
  std::array<std::int8_t, max_rank> root_dim{};  // of each dimension of the view; -1: none, size 1
  std::unique_ptr<std::byte[]> copy;
  Box box;  // of the storage it was taken from
  bool all_initialised = true;
  bool all_stored = true;
  BitPlane init, stored;  // row-major, where not all are
  Index first_undefined{};
  Origin origin;

  // Rectangles that together are the box and whose bytes lie in different roots.
  std::vector<std::unique_ptr<Body>> parts;

  // Without bytes the view has sizes alone.
  bool carries() const { return view.data != nullptr || !parts.empty(); }
  void join();  // makes one copy of the parts
  void reshape(const Box& to);

  ~Body();
  void take_copy();
  void detach() override;
};

}  // namespace tessera
