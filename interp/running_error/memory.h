// The bounds of what the machine's memories hold: one for each element of a buffer at a site. Where
// none were stored operands and integers are exact, and everything else is undefined.
#pragma once
#include <map>
#include <utility>

#include "interp/machine/machine.h"
#include "interp/running_error/tile.h"

namespace tessera::running_error {

class Memory {
 public:
  explicit Memory(Machine& machine) : machine_(machine), program_(machine.program()) {}

  // The bounds alone, and the machine's values with them.
  Tile bounds(SiteId site, BufferId buffer, const Box& box) const;
  Tile read(SiteId site, BufferId buffer, const Box& box);
  void write(SiteId site, BufferId buffer, const Box& box, const Tile& tile);
  void undefine(SiteId site, BufferId buffer, const Box& box);
  void forget(SiteId site, BufferId buffer) { planes_.erase({site, buffer}); }

 private:
  const Buffer& of(BufferId buffer) const { return program_.buffers[buffer]; }
  // Of elements that nothing was stored in.
  Bound first(BufferId buffer) const;

  Machine& machine_;
  const Program& program_;
  std::map<std::pair<SiteId, BufferId>, std::vector<Bound>> planes_;
};

}  // namespace tessera::running_error
