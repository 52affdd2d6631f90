#include "interp/memory/first_box.h"

namespace tessera {

std::optional<Box> first_box(const Layout& layout, const BitPlane& plane, bool value) {
  const std::int64_t offset = plane.find(0, layout.elements, value);
  if (offset < 0) return std::nullopt;
  Box box = element(layout.whole(), layout.index(offset));
  for (int d = layout.rank; d-- > 0;) {
    const auto u = Box::at(d);
    Box next = box;
    next.size[u] = 1;
    for (next.start[u] = box.end(d); next.start[u] < layout.shape[u]; ++next.start[u]) {
      bool is_all = true;
      layout.for_each_run(next, [&](std::int64_t at, std::int64_t n) {
        is_all = is_all && plane.find(at, n, !value) < 0;
      });
      if (!is_all) break;
      ++box.size[u];
    }
  }
  return box;
}

}  // namespace tessera
