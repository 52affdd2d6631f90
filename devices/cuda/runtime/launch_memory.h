// Device memory of one launch, in addition to its operands and results.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/report/expected.h"

namespace tessera::cuda {

// Launches that may run concurrently need one each. Belongs to the current context, which must be
// current again at destruction.
class LaunchMemory {
 public:
  // In bytes; 0: not needed by the kernel.
  struct Sizes {
    std::size_t arrays = 0;  // scalar arrays of all CTAs, unless they are in shared memory
    std::size_t tiles = 0;   // tiles of all CTAs; general kernel only
  };
  // Allocates the memory. Does not wait for the caller's enqueued work. May be called while a
  // stream is under capture.
  static Expected<std::unique_ptr<LaunchMemory>> make(const Sizes& sizes);
  ~LaunchMemory();
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;

  // Error word of 8 bytes; 0 until a launch reports an error (error_word.h).
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
