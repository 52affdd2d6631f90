#include "interp/running_error/memory.h"

#include <algorithm>

#include "core/data/convert.h"

namespace tessera::running_error {
namespace {

// The elements of a view, row-major. Integers beyond 2^53 are rounded.
std::vector<double> numbers_of(const TileView& view) {
  const auto count = static_cast<std::size_t>(view.elements());
  std::vector<double> values(count);
  const auto take = [&](auto zero) {
    using T = decltype(zero);
    constexpr DType wide = std::is_same_v<T, float> ? DType::f32 : DType::i64;
    const std::int64_t length = view.rank == 0 ? 1 : view.size[Box::at(view.rank - 1)];
    std::vector<std::byte> dense(static_cast<std::size_t>(length * size_of(view.dtype)));
    std::vector<T> row(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(length)) {
      const TileView from = stretch(view, static_cast<std::int64_t>(i), length);
      copy_elements(compact(dense.data(), from), from);
      convert(dense.data(), view.dtype, reinterpret_cast<std::byte*>(row.data()), wide, length);
      std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  is_float(view.dtype) ? take(float{}) : take(std::int64_t{});
  return values;
}

}  // namespace

Bound Memory::first(BufferId buffer) const {
  const bool is_given = of(buffer).role == Role::in || is_integer(of(buffer).dtype);
  return is_given ? 0 : unknown_for(Reasons::undefined);
}

Tile Memory::bounds(SiteId site, BufferId buffer, const Box& box) const {
  const auto plane = planes_.find({site, buffer});
  if (plane != planes_.end())
    return of_bounds(beside::shape_of(box), beside::gathered(plane->second, of(buffer).shape, box));
  return of_bounds(beside::shape_of(box),
                   std::vector<Bound>(static_cast<std::size_t>(box.elements()), first(buffer)));
}

Tile Memory::read(SiteId site, BufferId buffer, const Box& box) {
  Tile tile = bounds(site, buffer, box);
  tile.dtype = of(buffer).dtype;
  if (!box.empty()) tile.values = numbers_of(machine_.core_state(site).storages[buffer]->read(box));
  return tile;
}

void Memory::write(SiteId site, BufferId buffer, const Box& box, const Tile& tile) {
  auto plane = planes_.find({site, buffer});
  const auto all = static_cast<std::size_t>(beside::elements_of(of(buffer).shape));
  if (plane == planes_.end()) {
    if (tile.is_exact() && first(buffer) == 0) return;
    plane = planes_.emplace(std::pair{site, buffer}, std::vector<Bound>(all, first(buffer))).first;
  }
  const std::vector<Bound> exact(tile.is_exact() ? tile.elements() : 0, 0);
  beside::scatter(plane->second, of(buffer).shape, box, tile.is_exact() ? exact : tile.bounds);
}

void Memory::undefine(SiteId site, BufferId buffer, const Box& box) {
  const auto count = static_cast<std::size_t>(box.elements());
  write(site, buffer, box,
        of_bounds(beside::shape_of(box), std::vector<Bound>(count, first(buffer))));
}

}  // namespace tessera::running_error
