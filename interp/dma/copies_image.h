// Saved state of the copies in flight.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "interp/dma/copies.h"
#include "interp/memory/image.h"

namespace tessera {

struct Copies::Image {
  struct OfStaging {
    bool is_idle = false;
    Storage::SharedImage storage{};
    Snapshot::Image stored{};
    std::vector<Box> stored_boxes{};
  };
  struct OfCopy {
    std::int32_t slot = 0;
    Copy copy{};  // without data
    Snapshot::Image data{};
    std::optional<OfStaging> staging{};
  };

  std::size_t slots = 0;  // number of slots, used or free
  std::vector<OfCopy> used{};
  std::vector<std::int32_t> free{};
  std::vector<Lane> lanes{};
};

}  // namespace tessera
