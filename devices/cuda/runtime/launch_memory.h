// Device memory that one launch of a kernel writes beside its results.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/report/expected.h"

namespace tessera::cuda {

// Two launches that may run at the same time have one each. Addresses of the current context; it is
// current again when the memory is released.
class LaunchMemory {
 public:
  // In bytes; 0 where the kernel has no use for it.
  struct Sizes {
    std::size_t arrays = 0;  // the scalar arrays of all CTAs, where they are not in shared memory
    std::size_t tiles = 0;   // the tiles of all CTAs of the general kernel
  };
  // Waits for nothing that the caller enqueued, and may be called while a stream is captured.
  static Expected<std::unique_ptr<LaunchMemory>> make(const Sizes& sizes);
  ~LaunchMemory();
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;

  // 8 bytes, 0 until a launch finds something wrong (error_word.h).
  std::uint64_t error() const { return words_; }
  // Two counters of 4 bytes, 0 before and after each launch (templates/take.cuh).
  std::uint64_t taken() const { return words_ + 8; }
  std::uint64_t arrays() const { return arrays_; }
  std::uint64_t tiles() const { return tiles_; }

 private:
  LaunchMemory() = default;

  std::uint64_t words_ = 0, arrays_ = 0, tiles_ = 0;
};

}  // namespace tessera::cuda
