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
    case DType::u8:
      return get<std::uint8_t>(p);
    case DType::i16:
      return get<std::int16_t>(p);
    case DType::u16:
      return get<std::uint16_t>(p);
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
    case DType::u8:
      return put_checked<std::uint8_t>(p, value);
    case DType::i16:
      return put_checked<std::int16_t>(p, value);
    case DType::u16:
      return put_checked<std::uint16_t>(p, value);
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
  // Sort dimensions by descending dst stride; merge neighbours that are contiguous on both sides.
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
