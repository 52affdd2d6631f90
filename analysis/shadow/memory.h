// Shadow values of the machine's memories: one plane (a tile with the shape of the buffer) for each
// buffer of a core. Buffers that start with the machine's values get a plane when other values are
// stored in them. A tile without elements holds the machine's values.
#pragma once
#include <map>
#include <utility>

#include "analysis/shadow/tile.h"
#include "interp/machine/machine.h"

namespace tessera::shadow {

template <typename Domain>
class Memory {
 public:
  using Tile = typename Domain::Tile;
  using Operand = typename Domain::Operand;

  // Both must outlive this object.
  Memory(Machine& machine, Domain& domain)
      : machine_(machine), program_(machine.program()), domain_(domain) {}

  // Returns the shadow values only, which may be a tile without elements. May create the plane.
  Tile raw(CoreIndex core, BufferId buffer, const Box& box) const {
    if (starts_with_machines(buffer) && existing(core, buffer) == nullptr)
      return machines(shape_of(box));
    Tile tile = gathered(plane(core, buffer), box);
    tile.simplify();
    return tile;
  }
  // Returns the shadow values, completed by the domain with the machine's current values.
  Operand read(CoreIndex core, BufferId buffer, const Box& box) {
    Operand operand = Domain::operand(raw(core, buffer, box), of(buffer).dtype);
    if (!box.empty()) domain_.complete(operand, *machine_.core_state(core).storages[buffer], box);
    return operand;
  }
  // Stores a tile with the shape of the rectangle; without elements: stores the machine's values.
  void write(CoreIndex core, BufferId buffer, const Box& box, const Tile& tile) {
    const bool has_machines = tile.is_machines();
    if (box.empty() ||
        (has_machines && starts_with_machines(buffer) && existing(core, buffer) == nullptr))
      return;
    Tile& all = plane(core, buffer);
    has_machines ? scatter(all, box, domain_.machines(shape_of(box))) : scatter(all, box, tile);
    all.cover(tile, box.elements() == elements_of(all.shape));
  }
  // Makes the elements undefined; in buffers that start with the machine's values, resets them to
  // these. No effect if there is no plane.
  void undefine(CoreIndex core, BufferId buffer, const Box& box) {
    if (existing(core, buffer) == nullptr) return;
    write(
        core, buffer, box,
        starts_with_machines(buffer) ? machines(shape_of(box)) : domain_.undefined(shape_of(box)));
  }
  // Removes the plane: the next access finds the values at the start of a run.
  void forget(CoreIndex core, BufferId buffer) { planes_.erase({core, buffer}); }

 private:
  const Buffer& of(BufferId buffer) const { return program_.buffers[buffer]; }
  bool starts_with_machines(BufferId buffer) const {
    return Domain::starts_with_machines(of(buffer));
  }
  static Tile machines(Extents shape) {
    Tile tile;
    tile.shape = std::move(shape);
    return tile;
  }
  const Tile* existing(CoreIndex core, BufferId buffer) const {
    const auto found = planes_.find({core, buffer});
    return found == planes_.end() ? nullptr : &found->second;
  }
  Tile& plane(CoreIndex core, BufferId buffer) const {
    const auto [found, is_new] = planes_.try_emplace({core, buffer});
    if (!is_new) return found->second;
    const Buffer& declared = of(buffer);
    const Extents shape(declared.shape.begin(), declared.shape.end());
    found->second = starts_with_machines(buffer)
                        ? domain_.machines(shape)
                        : domain_.first(declared, shape, machine_.topology().device(core));
    return found->second;
  }

  Machine& machine_;
  const Program& program_;
  Domain& domain_;
  mutable std::map<std::pair<CoreIndex, BufferId>, Tile> planes_;  // created at first use
};

}  // namespace tessera::shadow
