#include "interp/tiles/tile_ops_init.h"

#include <algorithm>
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

// Origin of the first source that has an undefined element.
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

// Returns true for each defined row (or column) of a matrix of the view.
std::vector<bool> defined_lines(const TileView& view, const Index& matrix, bool by_rows) {
  const auto last = Box::at(view.rank - 1), before = Box::at(view.rank - 2);
  const auto along = by_rows ? before : last, across = by_rows ? last : before;
  std::vector<bool> defined(static_cast<std::size_t>(view.size[along]), true);
  if (view.initialised()) return defined;
  const std::int64_t at = offset_of(view, matrix);
  for (std::int64_t i = 0; i < view.size[along]; ++i) {
    for (std::int64_t j = 0; j < view.size[across]; ++j) {
      if (view.initialised_at(at + i * view.stride[along] + j * view.stride[across])) continue;
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

void record_undefined(const TileView& dst, PlaceId place, const Context& context) {
  mark(dst, BitPlane(dst.elements()), {place, context.place});
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

void record_in_order(const TileView& dst, const TileView& src, const Context& context) {
  if (src.initialised()) return mark(dst);
  BitPlane mask(dst.elements());
  for_each_element(src, [&](std::int64_t position, const Index& index) {
    if (src.initialised_at(offset_of(src, index))) mask.put(position, true);
  });
  mark(dst, mask, reason({&src}, context));
}

void record_bits(const TileView& dst, const TileView& src, int dim, const Context& context) {
  if (src.initialised()) return mark(dst);
  const auto d = Box::at(dim);
  const std::int64_t joined = src.size[d] / std::max<std::int64_t>(dst.size[d], 1);
  const std::int64_t split = dst.size[d] / std::max<std::int64_t>(src.size[d], 1);
  BitPlane mask(dst.elements());
  for_each_element(dst, [&](std::int64_t position, Index index) {
    bool is_defined = true;
    if (joined <= 1) {
      index[d] /= split;
      is_defined = src.initialised_at(offset_of(src, index));
    } else {
      index[d] *= joined;
      for (std::int64_t k = 0; k < joined; ++k, ++index[d])
        is_defined = is_defined && src.initialised_at(offset_of(src, index));
    }
    if (is_defined) mask.put(position, true);
  });
  mark(dst, mask, reason({&src}, context));
}

void record_reduce(const TileView& dst, const TileView& src, int dim, const Context& context) {
  if (src.initialised()) return mark(dst);
  BitPlane mask(dst.elements());
  for_each_element(dst, [&](std::int64_t position, Index index) {
    bool defined = true;
    for (std::int64_t j = 0; defined && j < src.size[Box::at(dim)]; ++j) {
      index[Box::at(dim)] = j;
      defined = src.initialised_at(offset_of(src, index));
    }
    mask.put(position, defined);
  });
  mark(dst, mask, reason({&src}, context));
}

void record_matmul(const TileView& acc, const TileView& a, const TileView& b, Transposed transposed,
                   const Context& context) {
  if (!any_undefined({&acc, &a, &b})) return;
  BitPlane mask(acc.elements());
  std::int64_t first = 0;  // position of the current element
  for_each_matrix(acc, [&](Index index) {
    const std::vector<bool> rows = defined_lines(a, index, !transposed.a),
                            columns = defined_lines(b, index, transposed.b);
    auto &i = index[Box::at(acc.rank - 2)], &j = index[Box::at(acc.rank - 1)];
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t column = 0; column < columns.size(); ++column, ++first) {
        i = static_cast<std::int64_t>(row), j = static_cast<std::int64_t>(column);
        if (rows[row] && columns[column] && is_defined(acc, acc, index)) mask.put(first, true);
      }
  });
  mark(acc, mask, reason({&a, &b, &acc}, context));
}

}  // namespace tessera::tile
