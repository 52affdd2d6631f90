#include "interp/tiles/tile_ops_order.h"

#include <cstring>
#include <vector>

#include "interp/memory/layout.h"
#include "interp/tiles/tile_ops_init.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

// Copies elements of equal width in row-major order. Views must not overlap.
void copy_in_order(const TileView& dst, const TileView& src) {
  if (is_dense(dst)) return copy_elements(compact(dst.data, src), src);
  if (is_dense(src)) return copy_elements(dst, compact(src.data, dst));
  std::vector<std::byte> bytes;
  const TileView between = copy_of(src, bytes);
  copy_elements(dst, compact(between.data, dst));
}

// Returns `src`, or a copy of it in `bytes` if it overlaps dst.
TileView apart_from(const TileView& src, const TileView& dst, std::vector<std::byte>& bytes) {
  return overlaps(src, dst) ? copy_of(src, bytes) : src;
}

// View of the elements k, k + count, k + 2 * count, ... along a dimension.
TileView one_of(const TileView& view, int dim, std::int64_t k, std::int64_t count) {
  TileView part = view;
  const auto d = Box::at(dim);
  part.data += k * view.stride[d] * size_of(view.dtype);
  part.init_at += k * view.stride[d];
  part.stride[d] *= count;
  part.size[d] /= count;
  return part;
}

// Calls move(wide, narrow, bytes) for each element of `narrow` and its byte range in the element of
// `wide` that contains it.
template <typename Move>
void for_each_part(const TileView& wide, const TileView& narrow, int dim, Move&& move) {
  const std::int64_t width = size_of(narrow.dtype), count = size_of(wide.dtype) / width;
  for (std::int64_t k = 0; k < count; ++k) {
    const TileView part = one_of(narrow, dim, k, count);
    for_each_piece(wide, [&](Index index, std::int64_t begin, std::int64_t n) {
      for (std::int64_t i = begin; i < begin + n; ++i) {
        if (wide.rank > 0) index[Box::at(wide.rank - 1)] = i;
        move(wide.data + offset_of(wide, index) * size_of(wide.dtype) + k * width,
             part.data + offset_of(part, index) * width, static_cast<std::size_t>(width));
      }
    });
  }
}

}  // namespace

void regroup(const TileView& dst, const TileView& src, const Context& context) {
  if (context.math != Math::none && dst.elements() > 0) {
    std::vector<std::byte> bytes;
    TileView from = apart_from(src, dst, bytes);
    from.dtype = dst.dtype;
    copy_in_order(dst, from);
  }
  record_in_order(dst, src, context);
}

void every(const TileView& dst, const TileView& src, int dim, std::int64_t step,
           const Context& context) {
  TileView part = src;
  part.stride[Box::at(dim)] *= step;
  part.size[Box::at(dim)] = dst.size[Box::at(dim)];
  regroup(dst, part, context);
}

int bitcast_dim(const TileView& dst, const TileView& src) {
  const std::int64_t to = size_of(dst.dtype), from = size_of(src.dtype);
  if (dst.rank != src.rank) return -2;
  int dim = -1;
  for (int d = 0; d < dst.rank; ++d) {
    if (dst.size[Box::at(d)] == src.size[Box::at(d)]) continue;
    if (dim >= 0 || dst.size[Box::at(d)] * to != src.size[Box::at(d)] * from) return -2;
    dim = d;
  }
  return (dim < 0) == (to == from) ? dim : -2;
}

void bitcast(const TileView& dst, const TileView& src, const Context& context) {
  const int dim = bitcast_dim(dst, src);
  if (dim < 0) return regroup(dst, src, context);
  std::vector<std::byte> bytes;
  const bool widens = size_of(dst.dtype) > size_of(src.dtype);
  if (context.math != Math::none && dst.elements() > 0) {
    const TileView from = apart_from(src, dst, bytes);
    if (widens)
      for_each_part(dst, from, dim, [](std::byte* wide, const std::byte* narrow, std::size_t n) {
        std::memcpy(wide, narrow, n);
      });
    else
      for_each_part(from, dst, dim, [](const std::byte* wide, std::byte* narrow, std::size_t n) {
        std::memcpy(narrow, wide, n);
      });
  }
  record_bits(dst, src, dim, context);
}

}  // namespace tessera::tile
