#include "interp/memory/view.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/data/convert.h"
#include "core/report/check.h"

namespace tessera {
namespace {

template <typename T>
T get(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <typename T>
void put(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

template <typename T>
bool put_checked(std::byte* p, std::int64_t value) {
  if (value < std::int64_t{std::numeric_limits<T>::min()} ||
      value > std::int64_t{std::numeric_limits<T>::max()}) {
    return false;
  }
  put(p, static_cast<T>(value));
  return true;
}

}  // namespace

std::int64_t Box::elements() const {
  std::int64_t product = 1;
  for (int d = 0; d < rank; ++d) product *= size[at(d)];
  return product;
}

bool same_rectangle(const Box& a, const Box& b) {
  return a.rank == b.rank && a.start == b.start && a.size == b.size;
}

bool contains(const Box& outer, const Box& inner) {
  if (inner.empty()) return true;
  for (int d = 0; d < outer.rank; ++d) {
    if (inner.start[Box::at(d)] < outer.start[Box::at(d)] || inner.end(d) > outer.end(d))
      return false;
  }
  return true;
}

bool intersects(const Box& a, const Box& b) {
  if (a.empty() || b.empty()) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.end(d) <= b.start[Box::at(d)] || b.end(d) <= a.start[Box::at(d)]) return false;
  }
  return true;
}

Box element(const Box& box, const Index& index) {
  Box one = box;
  one.start = index;
  for (int d = 0; d < one.rank; ++d) one.size[Box::at(d)] = 1;
  return one;
}

Box intersection(const Box& a, const Box& b) {
  Box result = a;
  for (int d = 0; d < a.rank; ++d) {
    const auto u = Box::at(d);
    result.start[u] = std::max(a.start[u], b.start[u]);
    result.size[u] = std::min(a.end(d), b.end(d)) - result.start[u];
  }
  return result;
}

Box counterpart(const Box& part, const Box& from, const Box& to) {
  Box result = to;
  for (int d = 0, t = 0; d < from.rank; ++d) {
    if (!from.keeps(d)) continue;
    while (!to.keeps(t)) ++t;
    result.start[Box::at(t)] += part.start[Box::at(d)] - from.start[Box::at(d)];
    result.size[Box::at(t++)] = part.size[Box::at(d)];
  }
  return result;
}

namespace {

// From dimension d on; those before it are one element thick.
void append_rectangles(const Box& box, int d, std::int64_t begin, std::int64_t end,
                       std::vector<Box>& result) {
  if (begin >= end) return;
  if (d >= box.rank) return result.push_back(box);
  std::int64_t inner = 1;
  for (int i = d + 1; i < box.rank; ++i) inner *= box.size[Box::at(i)];
  const auto slab = [&](std::int64_t first, std::int64_t count) {
    Box part = box;
    part.start[Box::at(d)] += first;
    part.size[Box::at(d)] = count;
    return part;
  };
  const std::int64_t head = begin / inner, tail = end / inner;
  if (begin == head * inner) {
    if (tail > head) result.push_back(slab(head, tail - head));
    return append_rectangles(slab(tail, 1), d + 1, 0, end - tail * inner, result);
  }
  append_rectangles(slab(head, 1), d + 1, begin - head * inner, std::min(end - head * inner, inner),
                    result);
  append_rectangles(box, d, (head + 1) * inner, end, result);
}

}  // namespace

std::vector<Box> rectangles(const Box& box, std::int64_t begin, std::int64_t end) {
  std::vector<Box> result;
  append_rectangles(box, 0, begin, end, result);
  return result;
}

TileView TileView::of(std::int64_t integer) {
  TileView view;
  view.dtype = DType::i64;
  view.is_number = true;
  view.integer = integer;
  return view;
}

TileView TileView::of(float real) {
  TileView view;
  view.is_number = true;
  view.real = real;
  return view;
}

std::int64_t TileView::elements() const {
  std::int64_t product = 1;
  for (int d = 0; d < rank; ++d) product *= size[Box::at(d)];
  return product;
}

std::int64_t TileView::integer_at(std::int64_t i) const {
  return load_integer(data + i * stride[0] * size_of(dtype), dtype);
}

bool TileView::set_integer_at(std::int64_t i, std::int64_t value) const {
  return store_integer(data + i * stride[0] * size_of(dtype), dtype, value);
}

std::int64_t load_integer(const std::byte* p, DType dtype) {
  switch (dtype) {
    case DType::i8:
      return get<std::int8_t>(p);
    case DType::i32:
      return get<std::int32_t>(p);
    case DType::u32:
      return get<std::uint32_t>(p);
    case DType::i64:
      return get<std::int64_t>(p);
    default:
      break;
  }
  alignas(8) std::byte converted[8];
  convert(p, dtype, converted, DType::i64, 1);
  return get<std::int64_t>(converted);
}

bool store_integer(std::byte* p, DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::i8:
      return put_checked<std::int8_t>(p, value);
    case DType::i32:
      return put_checked<std::int32_t>(p, value);
    case DType::u32:
      return put_checked<std::uint32_t>(p, value);
    case DType::i64:
      put(p, value);
      return true;
    default:
      convert(reinterpret_cast<const std::byte*>(&value), DType::i64, p, dtype, 1);
      return true;
  }
}

void copy_elements(const TileView& dst, const TileView& src) {
  CHECK(dst.rank == src.rank && dst.dtype == src.dtype);
  const auto bytes = static_cast<std::size_t>(size_of(dst.dtype));
  // Dimensions by falling dst stride, neighbours merged where both sides are contiguous.
  Index size{}, to{}, from{};
  int rank = 0;
  std::array<int, max_rank> order{};
  for (int d = 0; d < dst.rank; ++d) {
    if (dst.size[Box::at(d)] == 0) return;
    if (dst.size[Box::at(d)] == 1) continue;
    int at = rank++;
    for (; at > 0 && dst.stride[Box::at(order[Box::at(at - 1)])] < dst.stride[Box::at(d)]; --at) {
      order[Box::at(at)] = order[Box::at(at - 1)];
    }
    order[Box::at(at)] = d;
  }
  int merged = 0;
  for (int i = 0; i < rank; ++i) {
    const auto d = Box::at(order[Box::at(i)]);
    const auto last = Box::at(merged - 1);
    if (merged > 0 && to[last] == dst.stride[d] * dst.size[d] &&
        from[last] == src.stride[d] * src.size[d]) {
      size[last] *= dst.size[d];
      to[last] = dst.stride[d];
      from[last] = src.stride[d];
    } else {
      size[Box::at(merged)] = dst.size[d];
      to[Box::at(merged)] = dst.stride[d];
      from[Box::at(merged)] = src.stride[d];
      ++merged;
    }
  }
  const std::int64_t inner = merged == 0 ? 1 : size[Box::at(merged - 1)];
  const std::int64_t inner_to = merged == 0 ? 1 : to[Box::at(merged - 1)];
  const std::int64_t inner_from = merged == 0 ? 1 : from[Box::at(merged - 1)];
  const auto unit = static_cast<std::int64_t>(bytes);
  Index at{};
  std::byte* p = dst.data;
  const std::byte* q = src.data;
  for (;;) {
    if (inner_to == 1 && inner_from == 1) {
      std::memcpy(p, q, static_cast<std::size_t>(inner) * bytes);
    } else {
      for (std::int64_t i = 0; i < inner; ++i)
        std::memcpy(p + i * inner_to * unit, q + i * inner_from * unit, bytes);
    }
    int d = merged - 2;
    for (; d >= 0; --d) {
      p += to[Box::at(d)] * unit;
      q += from[Box::at(d)] * unit;
      if (++at[Box::at(d)] < size[Box::at(d)]) break;
      p -= size[Box::at(d)] * to[Box::at(d)] * unit;
      q -= size[Box::at(d)] * from[Box::at(d)] * unit;
      at[Box::at(d)] = 0;
    }
    if (d < 0) return;
  }
}

TileView stretch(const TileView& view, std::int64_t position, std::int64_t length) {
  TileView part = view;
  part.rank = 1;
  part.size = {length};
  part.stride = {view.rank == 0 ? 1 : view.stride[Box::at(view.rank - 1)]};
  std::int64_t offset = 0;
  for (int d = view.rank; d-- > 0;) {
    offset += position % view.size[Box::at(d)] * view.stride[Box::at(d)];
    position /= view.size[Box::at(d)];
  }
  part.data += offset * size_of(view.dtype);
  part.init_at += offset;
  return part;
}

std::int64_t position_in(const Box& box, const Index& index) {
  std::int64_t position = 0;
  for (int d = 0; d < box.rank; ++d)
    position = position * box.size[Box::at(d)] + index[Box::at(d)] - box.start[Box::at(d)];
  return position;
}

Index index_in(const Box& box, std::int64_t position) {
  Index index = box.start;
  for (int d = box.rank; d-- > 0;) {
    index[Box::at(d)] += position % box.size[Box::at(d)];
    position /= box.size[Box::at(d)];
  }
  return index;
}

TileView compact(std::byte* data, const TileView& like) {
  TileView view = like;
  view.data = data;
  view.init = nullptr;
  view.owner = nullptr;
  std::int64_t stride = 1;
  for (int d = like.rank; d-- > 0;) {
    view.stride[Box::at(d)] = stride;
    stride *= like.size[Box::at(d)];
  }
  return view;
}

}  // namespace tessera
