// Memory of scratch that outlives a run: who runs a graph again finds its pages there.
#pragma once
#include <mutex>
#include <vector>

#include "core/data/tensor.h"

namespace tessera::graph {

// Safe to use from several threads.
class ScratchPool {
 public:
  // One that was given, and holds whatever was left there; else a new one.
  Tensor acquire(DType dtype, const Shape& shape);
  void release(Tensor tensor);

 private:
  std::mutex mutex_;
  std::vector<Tensor> free_;
};

}  // namespace tessera::graph
