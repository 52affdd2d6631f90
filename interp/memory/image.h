// Saved states of storages and of snapshots in flight. For bytes that belong to another storage
// (the root), an image contains the root and the byte offset from its base. This reference is valid
// again as soon as the root has been restored.
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "interp/memory/snapshot_body.h"
#include "interp/memory/storage.h"
#include "interp/memory/storage_alias.h"

namespace tessera {

struct RootImage {
  Storage* root = nullptr;  // null: none
  Box box{};
  std::ptrdiff_t offset = 0;  // bytes

  // data: first element of the dependent. No root if the dependent has none.
  static RootImage of(const Dependent& dependent, const std::byte* data) {
    if (dependent.root == nullptr) return {};
    return {dependent.root, dependent.root_box, data - dependent.root->base()};
  }
  std::byte* data() const { return root->base() + offset; }  // requires a root
};

struct Snapshot::Image {
  bool is_empty = true;
  TileView view{};
  bool has_copy = false;
  ByteImage copy{};
  RootImage root{};
  std::array<std::int8_t, max_rank> root_dim{};
  Box box{};
  bool all_initialised = true, all_stored = true;
  BitPlane::Image init{}, stored{};
  Index first_undefined{};
  Origin origin{};
  std::vector<Image> parts{};

 private:
  friend class Snapshot;
  static Image of(const Body& body, const HeldBytes& held);
  std::unique_ptr<Body> body() const;
};

struct Storage::Image {
  struct OfAlias {
    Box box{};
    RootImage root{};
    Index stride{};
    std::array<std::int8_t, max_rank> root_dim{};
  };
  struct OfWrittenBack {
    BitPlane::Image plane{};
    std::int64_t pending = 0;
    BufferId slot{};
    bool is_over = false;
  };

  bool is_live = false, is_slot = false, has_bytes = false;
  PlaceId allocated_at{};
  ByteImage bytes{};
  BitPlane::Image init{}, stored{};
  std::map<std::pair<std::int32_t, std::int64_t>, OfWrittenBack> written_back{};
  std::vector<Undefined> undefined{};
  std::vector<OfAlias> aliases{};
};

}  // namespace tessera
