#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

// Broadcast dimensions get stride 0; a view of rank 0 gets dst's rank.
TileView as_seen_by(const TileView& view, const TileView& dst) {
  TileView seen = view;
  if (view.is_number) return seen;
  for (int d = 0; d < dst.rank; ++d) {
    const auto u = Box::at(d);
    if (view.rank == 0 || view.size[u] == 1) seen.stride[u] = 0;
    seen.size[u] = dst.size[u];
  }
  seen.rank = dst.rank;
  return seen;
}

bool element_on_element(const TileView& a, const TileView& b) {
  if (a.data != b.data || size_of(a.dtype) != size_of(b.dtype)) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.size[Box::at(d)] > 1 && a.stride[Box::at(d)] != b.stride[Box::at(d)]) return false;
  }
  return true;
}

}  // namespace

Span span_of(const TileView& view) {
  if (view.data == nullptr || view.elements() == 0) return {nullptr, nullptr};
  std::int64_t last = 0;
  for (int d = 0; d < view.rank; ++d) last += (view.size[Box::at(d)] - 1) * view.stride[Box::at(d)];
  return {view.data, view.data + (last + 1) * size_of(view.dtype)};
}

bool overlaps(const TileView& a, const TileView& b) {
  const Span x = span_of(a), y = span_of(b);
  return std::less<>()(x.begin, y.end) && std::less<>()(y.begin, x.end);
}

std::int64_t offset_of(const TileView& view, const Index& index) {
  std::int64_t offset = 0;
  for (int d = 0; d < view.rank; ++d) offset += index[Box::at(d)] * view.stride[Box::at(d)];
  return offset;
}

TileView copy_of(const TileView& view, std::vector<std::byte>& bytes) {
  bytes.resize(static_cast<std::size_t>(view.elements() * size_of(view.dtype)));
  TileView to = compact(bytes.data(), view);
  copy_elements(to, view);
  to.init = view.init;
  return to;
}

Source::Source(const TileView& view, const TileView& dst) : view_(as_seen_by(view, dst)) {
  if (view.is_number || !overlaps(view, dst) || element_on_element(view_, dst)) return;
  view_ = as_seen_by(copy_of(view, copy_), dst);
}

}  // namespace tessera::tile
