#include "interp/memory/layout.h"

#include "core/report/check.h"

namespace tessera {

Layout::Layout(const Buffer& buffer) : rank(static_cast<int>(buffer.shape.size())) {
  CHECK(rank <= max_rank);
  for (int i = 0; i < rank; ++i) {
    const auto u = static_cast<std::size_t>(i);
    shape[u] = buffer.shape[u];
    order[u] = static_cast<std::int8_t>(buffer.order.empty() ? i : buffer.order[u]);
  }
  for (int i = rank; i-- > 0;) {
    const auto d = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    stride[d] = elements;
    elements *= shape[d];
  }
}

Box Layout::whole() const {
  Box box;
  box.rank = static_cast<std::int8_t>(rank);
  box.size = shape;
  return box;
}

int Layout::outside(const Box& box) const {
  int first = -1;
  bool is_empty = false;
  for (int d = 0; d < rank; ++d) {
    const auto u = static_cast<std::size_t>(d);
    if (box.size[u] < 0) return d;
    is_empty |= box.size[u] == 0;
    const bool leaves = box.start[u] < 0 || box.start[u] > shape[u] - box.size[u];
    if (leaves && first < 0) first = d;
  }
  return is_empty ? -1 : first;
}

std::int64_t Layout::offset(const Index& index) const {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) sum += index[d] * stride[d];
  return sum;
}

Index Layout::index(std::int64_t offset) const {
  Index result{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    const auto d = static_cast<std::size_t>(order[i]);
    result[d] = offset / stride[d];
    offset %= stride[d];
  }
  return result;
}

TileView Layout::view(const Box& box, DType dtype) const {
  TileView view;
  view.dtype = dtype;
  view.box = box;
  for (int d = 0; d < rank; ++d) {
    if (!box.keeps(d)) continue;
    view.size[static_cast<std::size_t>(view.rank)] = box.size[Box::at(d)];
    view.stride[static_cast<std::size_t>(view.rank)] = stride[Box::at(d)];
    ++view.rank;
  }
  return view;
}

Shape stored_shape(const Buffer& buffer) {
  if (buffer.order.empty()) return buffer.shape;
  Shape shape;
  for (const int d : buffer.order) shape.push_back(buffer.shape[static_cast<std::size_t>(d)]);
  return shape;
}

bool is_dense(const TileView& view) {
  std::int64_t stride = 1;
  for (int d = view.rank; d-- > 0;) {
    const auto u = Box::at(d);
    if (view.size[u] != 1 && view.stride[u] != stride) return false;
    stride *= view.size[u];
  }
  return true;
}

}  // namespace tessera
