#include "analysis/task_engine/scratch_pool.h"

#include <algorithm>
#include <utility>

namespace tessera::graph {

Tensor ScratchPool::acquire(DType dtype, const Shape& shape) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(free_.begin(), free_.end(), [&](const Tensor& tensor) {
      return tensor.dtype() == dtype && tensor.shape() == shape;
    });
    if (found != free_.end()) {
      std::swap(*found, free_.back());
      Tensor taken = std::move(free_.back());
      free_.pop_back();
      return taken;
    }
  }
  return {dtype, shape};
}

void ScratchPool::release(Tensor tensor) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(tensor));
}

}  // namespace tessera::graph
