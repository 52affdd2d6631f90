#include "kernels/launch/axes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/report/check.h"

namespace tessera {

Tensor permuted(const Tensor& tensor, std::span<const std::int64_t> order) {
  const int rank = tensor.rank();
  CHECK(static_cast<int>(order.size()) == rank);
  std::vector<std::int64_t> stride(order.size(), 1);
  for (int d = rank - 2; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    stride[at] = stride[at + 1] * tensor.dim(d + 1);
  }
  Shape shape;
  for (const std::int64_t axis : order) shape.push_back(tensor.dim(static_cast<int>(axis)));
  Tensor result = Tensor::uninitialised(tensor.dtype(), shape);
  const std::int64_t size = size_of(tensor.dtype()), count = result.elements();
  // Trailing axes that keep their positions are copied together.
  std::int64_t run = 1;
  int last = rank - 1;
  while (last >= 0 && order[static_cast<std::size_t>(last)] == last) run *= tensor.dim(last--);
  std::vector<std::int64_t> index(order.size(), 0);
  std::int64_t from = 0;
  for (std::int64_t to = 0; to < count; to += run) {
    std::memcpy(result.data() + to * size, tensor.data() + from * size,
                static_cast<std::size_t>(run * size));
    for (int d = last; d >= 0; --d) {
      const auto at = static_cast<std::size_t>(d);
      const std::int64_t step = stride[static_cast<std::size_t>(order[at])];
      from += step;
      if (++index[at] < shape[at]) break;
      from -= step * shape[at];
      index[at] = 0;
    }
  }
  return result;
}

Tensor reshaped(Tensor tensor, Shape shape) {
  if (tensor.shape() == shape) return tensor;
  CHECK(elements(shape) == tensor.elements());
  Tensor result = Tensor::uninitialised(tensor.dtype(), std::move(shape));
  if (tensor.bytes() > 0)
    std::memcpy(result.data(), tensor.data(), static_cast<std::size_t>(tensor.bytes()));
  return result;
}

std::int64_t extent(const Shape& shape, std::span<const std::int64_t> axes) {
  std::int64_t product = 1;
  for (const std::int64_t axis : axes) product *= shape[static_cast<std::size_t>(axis)];
  return product;
}

std::vector<std::int64_t> other_axes(int rank, std::span<const std::int64_t> some,
                                     std::span<const std::int64_t> more) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (std::find(some.begin(), some.end(), axis) == some.end() &&
        std::find(more.begin(), more.end(), axis) == more.end())
      axes.push_back(axis);
  }
  return axes;
}

}  // namespace tessera
