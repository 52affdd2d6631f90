// Rectangle of scratch whose bytes are still in the storage that it was copied from.
#pragma once
#include <array>

#include "interp/memory/storage.h"

namespace tessera {

struct Storage::Alias final : Dependent {
  Storage* owner = nullptr;
  Box box;                                       // in the owner; every element is initialised
  std::byte* data = nullptr;                     // element at box.start
  Index stride{};                                // by dimension of the owner
  std::array<std::int8_t, max_rank> root_dim{};  // by dimension of the owner; -1: none, size 1
  std::size_t position = 0;                      // index in the owner's list

  TileView view(const Box& part) const;
  void detach() override;
};

}  // namespace tessera
