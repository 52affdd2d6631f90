#include "interp/field/memory.h"

#include <algorithm>

namespace tessera::fields {
namespace {

// The elements of a view, row-major.
std::vector<std::int64_t> integers_of(const TileView& view) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(view.elements()));
  const std::int64_t length = view.rank == 0 ? 1 : view.size[Box::at(view.rank - 1)];
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(length)) {
    const TileView row = stretch(view, static_cast<std::int64_t>(i), length);
    for (std::int64_t j = 0; j < length; ++j)
      values[i + static_cast<std::size_t>(j)] = row.integer_at(j);
  }
  return values;
}

bool is_machines(const Tile& tile) {
  return std::all_of(tile.p.begin(), tile.p.end(),
                     [](Residue value) { return value == as_in_machine; });
}

}  // namespace

Plane* Memory::existing(SiteId site, BufferId buffer) {
  const auto found = planes_.find({site, buffer});
  return found == planes_.end() ? nullptr : &found->second;
}

Plane& Memory::plane(SiteId site, BufferId buffer) {
  Plane& plane = planes_[{site, buffer}];
  if (plane.exists()) return plane;
  const Buffer& declared = of(buffer);
  const int device = topology_.device(site);
  const bool has_exponents = arithmetic_.has_exponents();
  if (is_integer(declared.dtype)) {
    plane = Plane(declared.shape, has_exponents, [](std::int64_t) {
      return Number{as_in_machine, as_in_machine};
    });
  } else if (declared.role == Role::in) {
    plane = Plane(declared.shape, has_exponents, inputs_.of(declared.name, device));
    plane.set_bound({.degree = 1});
  } else {
    plane = Plane(declared.shape, has_exponents, [&](std::int64_t) { return arithmetic_.apart(); });
  }
  return plane;
}

Tile Memory::raw(SiteId site, BufferId buffer, const Box& box) {
  if (is_integer(of(buffer).dtype) && existing(site, buffer) == nullptr) return {};
  return plane(site, buffer).gather(box);
}

bool Memory::has_field_values(SiteId site, BufferId buffer, const Box& box) {
  if (!is_integer(of(buffer).dtype)) return true;
  const Plane* const plane = existing(site, buffer);
  return plane != nullptr && !is_machines(plane->gather(box));
}

Operand Memory::read(SiteId site, BufferId buffer, const Box& box) {
  Operand operand{.tile = raw(site, buffer, box), .dtype = of(buffer).dtype};
  if (!is_integer(operand.dtype) || box.empty()) {
    if (box.empty()) operand.tile = make_tile(shape_of(box), arithmetic_.has_exponents());
    return operand;
  }
  if (operand.tile.p.empty())
    operand.tile =
        make_tile(shape_of(box), arithmetic_.has_exponents(), {as_in_machine, as_in_machine});
  operand.is_known = is_machines(operand.tile);
  operand.integers = integers_of(machine_.core_state(site).storages[buffer]->read(box));
  for (std::size_t i = 0; i < operand.integers.size(); ++i)
    if (operand.tile.p[i] == as_in_machine) {
      operand.tile.put(i, arithmetic_.draw().of(operand.integers[i]));
      operand.tile.bound = joined(operand.tile.bound, bound_of(operand.integers[i]));
    }
  return operand;
}

void Memory::write(SiteId site, BufferId buffer, const Box& box, const Tile& tile) {
  if (!tile.p.empty()) return plane(site, buffer).scatter(box, tile);
  if (Plane* const plane = existing(site, buffer))
    plane->scatter(
        box, make_tile(shape_of(box), arithmetic_.has_exponents(), {as_in_machine, as_in_machine}));
}

void Memory::undefine(SiteId site, BufferId buffer, const Box& box) {
  Plane* const plane = existing(site, buffer);
  if (plane == nullptr) return;
  if (is_integer(of(buffer).dtype)) return write(site, buffer, box, {});
  Tile tile = make_tile(shape_of(box), arithmetic_.has_exponents());
  for (std::size_t i = 0; i < tile.p.size(); ++i) tile.put(i, arithmetic_.apart());
  plane->scatter(box, tile);
}

}  // namespace tessera::fields
