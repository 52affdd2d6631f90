#include "analysis/node_check/image.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "core/data/convert.h"
#include "interp/observe/content_hash.h"

namespace tessera::graph {

std::vector<Rectangle> outputs(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                               SideId side) {
  std::vector<Rectangle> all;
  for (const MemoryAccess& access : graph.sides[side].accesses) {
    if (!access.writes || !graph.memories[access.memory].buffer || is_private[access.memory])
      continue;
    all.push_back({access.memory, access.box});
    all.back().box.dropped = 0;
  }
  return all;
}

std::vector<std::byte> bytes_at(GraphMemory& memories, const Rectangle& at) {
  const TileView view = memories.view(at.memory, at.box);
  std::vector<std::byte> bytes(static_cast<std::size_t>(at.box.elements() * size_of(view.dtype)));
  copy_elements(compact(bytes.data(), view), view);
  return bytes;
}

TileView part_of(std::byte* bytes, DType dtype, const Box& whole, const Box& part) {
  TileView view{.data = bytes, .dtype = dtype, .rank = whole.rank, .box = part};
  std::int64_t stride = 1, offset = 0;
  for (int d = whole.rank; d-- > 0;) {
    const auto u = Box::at(d);
    view.size[u] = part.size[u];
    view.stride[u] = stride;
    offset += (part.start[u] - whole.start[u]) * stride;
    stride *= whole.size[u];
  }
  view.data += offset * size_of(dtype);
  return view;
}

std::uint64_t checksum(const std::vector<std::byte>& bytes, DType dtype,
                       const std::vector<bool>& defined) {
  if (defined.empty()) return bytes_hash(bytes);
  const auto size = static_cast<std::size_t>(size_of(dtype));
  std::vector<std::byte> kept;
  for (std::size_t i = 0; i < defined.size(); ++i)
    if (defined[i])
      kept.insert(kept.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                  bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
  return bytes_hash(kept);
}

Likeness likeness(const Image& image, const std::vector<std::byte>& got, std::size_t i) {
  const auto size = static_cast<std::size_t>(size_of(image.dtype));
  const std::byte *const a = got.data() + i * size, *const b = image.bytes.data() + i * size;
  if (std::memcmp(a, b, size) == 0) return Likeness::same;
  if (image.bounds.empty()) return Likeness::other;
  const double x = load_element(a, image.dtype), y = load_element(b, image.dtype);
  const auto bound = static_cast<double>(image.bounds[i]);
  if (x == y || (std::isnan(x) && std::isnan(y))) return Likeness::within;
  if (std::isnan(bound)) return Likeness::unbounded;
  if (!std::isfinite(x) || !std::isfinite(y)) return Likeness::other;
  return std::abs(x - y) <= bound ? Likeness::within : Likeness::other;
}

Likeness likeness(const Image& image, const std::vector<std::byte>& got) {
  Likeness worst = Likeness::same;
  const auto count = static_cast<std::size_t>(image.at.box.elements());
  for (std::size_t i = 0; i < count; ++i)
    if (image.defined.empty() || image.defined[i]) worst = std::max(worst, likeness(image, got, i));
  return worst;
}

}  // namespace tessera::graph
