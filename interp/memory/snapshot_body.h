// Contents of a snapshot; for snapshot.cpp and the copies in storage_land.cpp.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "interp/memory/snapshot.h"

namespace tessera {

struct Snapshot::Body final : Dependent {
  TileView view;  // in the root, or compact in `copy`; only sizes if there are parts
  std::array<std::int8_t, max_rank> root_dim{};  // by dimension of the view; -1: none, size 1
  std::unique_ptr<std::byte[]> copy;
  Box box;  // in the captured storage
  bool all_initialised = true;
  bool all_stored = true;
  BitPlane init, stored;  // row-major; empty if all are initialised or stored
  Index first_undefined{};
  Origin origin;

  // Disjoint parts of the box if its bytes are in different roots.
  std::vector<std::unique_ptr<Body>> parts;

  // False if the view has only sizes, without bytes.
  bool carries() const { return view.data != nullptr || !parts.empty(); }
  void join();  // copies the parts into `copy`
  void reshape(const Box& to);

  ~Body();
  void take_copy();  // copies the bytes of the view into `copy`
  void detach() override;
};

}  // namespace tessera
