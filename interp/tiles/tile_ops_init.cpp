#include "interp/tiles/tile_ops_init.h"

#include <vector>

#include "interp/memory/initialisation.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

bool any_undefined(std::initializer_list<const TileView*> sources) {
  for (const TileView* source : sources) {
    if (!source->initialised()) return true;
  }
  return false;
}

bool is_defined(const TileView& source, const TileView& dst, const Index& index) {
  if (source.initialised()) return true;
  std::int64_t offset = 0;
  for (int d = 0; d < dst.rank && source.rank != 0; ++d) {
    const auto u = Box::at(d);
    if (source.size[u] != 1) offset += index[u] * source.stride[u];
  }
  return source.initialised_at(offset);
}

// Calls f(position, index) for the elements of dst, row-major.
template <typename F>
void for_each_element(const TileView& dst, F&& f) {
  std::int64_t position = 0;
  for_each_piece(dst, [&](Index index, std::int64_t begin, std::int64_t n) {
    for (std::int64_t i = begin; i < begin + n; ++i) {
      if (dst.rank > 0) index[Box::at(dst.rank - 1)] = i;
      f(position++, index);
    }
  });
}

// The reason of the first source that has an undefined element.
Origin reason(std::initializer_list<const TileView*> sources, const Context& context) {
  for (const TileView* source : sources) {
    if (source->initialised() || source->owner == nullptr) continue;
    return {source->owner->origin(source->owner->first_uninitialised(source->box)).place,
            context.place};
  }
  return {{}, context.place};
}

void mark(const TileView& dst) {
  if (dst.owner != nullptr) dst.owner->initialise(dst.box);
}

void mark(const TileView& dst, const BitPlane& mask, Origin origin) {
  if (dst.owner != nullptr) dst.owner->initialise(dst.box, mask, origin);
}

std::vector<bool> defined_lines(const TileView& view, int along) {
  const std::int64_t lines = view.size[Box::at(along)];
  std::vector<bool> defined(static_cast<std::size_t>(lines), true);
  if (view.initialised()) return defined;
  const auto across = Box::at(1 - along);
  for (std::int64_t i = 0; i < lines; ++i) {
    for (std::int64_t j = 0; j < view.size[across]; ++j) {
      if (view.initialised_at(i * view.stride[Box::at(along)] + j * view.stride[across])) continue;
      defined[static_cast<std::size_t>(i)] = false;
      break;
    }
  }
  return defined;
}

}  // namespace

void record(const TileView& dst, std::initializer_list<const TileView*> sources,
            const Context& context) {
  if (!any_undefined(sources)) return mark(dst);
  BitPlane mask(dst.elements());
  for_each_element(dst, [&](std::int64_t position, const Index& index) {
    bool defined = true;
    for (const TileView* source : sources) defined = defined && is_defined(*source, dst, index);
    if (defined) mask.put(position, true);
  });
  mark(dst, mask, reason(sources, context));
}

BitPlane selected(const TileView& dst, const TileView& condition, const TileView& a,
                  const TileView& b) {
  BitPlane mask;
  if (!any_undefined({&condition, &a, &b})) return mask;
  mask = BitPlane(dst.elements());
  const Source chooser(condition, dst);
  for_each_element(dst, [&](std::int64_t position, const Index& index) {
    float choice = 0;
    chooser.load(index, 0, 1, &choice);
    const bool defined =
        is_defined(condition, dst, index) && is_defined(choice != 0 ? a : b, dst, index);
    if (defined) mask.put(position, true);
  });
  return mask;
}

void record_select(const TileView& dst, const TileView& condition, const TileView& a,
                   const TileView& b, const BitPlane& mask, const Context& context) {
  if (!any_undefined({&condition, &a, &b}) || mask.count() == mask.bits()) return mark(dst);
  mark(dst, mask, reason({&condition, &a, &b}, context));
}

void record_transpose(const TileView& dst, const TileView& src, const Context& context) {
  TileView turned = src;
  std::swap(turned.size[0], turned.size[1]);
  std::swap(turned.stride[0], turned.stride[1]);
  record(dst, {&turned}, context);
}

void record_reduce(const TileView& dst, const TileView& src, Along along, const Context& context) {
  if (src.initialised()) return mark(dst);
  const std::vector<bool> defined = defined_lines(src, along == Along::rows ? 0 : 1);
  BitPlane mask(dst.elements());
  for (std::size_t i = 0; i < defined.size(); ++i)
    mask.put(static_cast<std::int64_t>(i), defined[i]);
  mark(dst, mask, reason({&src}, context));
}

void record_matmul(const TileView& acc, const TileView& a, const TileView& b, Transposed transposed,
                   const Context& context) {
  if (!any_undefined({&acc, &a, &b})) return;
  const std::vector<bool> rows = defined_lines(a, transposed.a ? 1 : 0),
                          cols = defined_lines(b, transposed.b ? 0 : 1);
  BitPlane mask(acc.elements());
  for_each_element(acc, [&](std::int64_t position, const Index& index) {
    const bool defined = is_defined(acc, acc, index) && rows[static_cast<std::size_t>(index[0])] &&
                         cols[static_cast<std::size_t>(index[1])];
    if (defined) mask.put(position, true);
  });
  mark(acc, mask, reason({&a, &b, &acc}, context));
}

}  // namespace tessera::tile
