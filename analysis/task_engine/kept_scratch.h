// Memory of scratch that outlives a run: who runs a graph again finds its pages there.
#pragma once
#include <mutex>
#include <vector>

#include "core/data/tensor.h"

namespace tessera::graph {

// Safe to use from several threads.
class KeptScratch {
 public:
  // One that was given, and holds whatever was left there; else a new one.
  Tensor take(DType dtype, const Shape& shape);
  void give(Tensor tensor);

 private:
  std::mutex mutex_;
  std::vector<Tensor> free_;
};

}  // namespace tessera::graph
