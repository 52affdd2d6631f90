// Scratch memory that outlives a run, so the next run of a graph does not allocate its pages again.
#pragma once
#include <mutex>
#include <vector>

#include "core/data/tensor.h"

namespace tessera::graph {

// Thread-safe.
class ScratchPool {
 public:
  // Returns a released tensor of this type and shape, with its old contents, or a new one of zeros.
  // Throws NoMemory.
  Tensor acquire(DType dtype, const Shape& shape);
  // Stores a tensor for later calls of acquire().
  void release(Tensor tensor);

 private:
  std::mutex mutex_;
  std::vector<Tensor> free_;
};

}  // namespace tessera::graph
