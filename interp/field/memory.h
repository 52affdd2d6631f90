// The memories of a field run: a plane for each buffer at each site. Floats have field values from
// the beginning. Integers are those of the machine's memory, until what comes from floats (a
// comparison, a cast) is stored among them.
#pragma once
#include <map>
#include <utility>

#include "interp/field/arithmetic.h"
#include "interp/field/inputs.h"
#include "interp/field/plane.h"
#include "interp/machine/machine.h"

namespace tessera::fields {

// An operand of an op.
struct Operand {
  Tile tile;
  DType dtype = DType::f32;
  bool is_known = false;  // an integer, or a number of the text: nothing of it comes from floats
  std::vector<std::int64_t> integers{};  // of known ones of an integer type
  double literal = 0;                    // of a number of the text of type f32
};

class Memory {
 public:
  Memory(const Program& program, const Topology& topology, Machine& machine, Arithmetic& arithmetic,
         const Inputs& inputs)
      : program_(program),
        topology_(topology),
        machine_(machine),
        arithmetic_(arithmetic),
        inputs_(inputs) {}

  Operand read(SiteId site, BufferId buffer, const Box& box);
  // The values as they lie there, `as_in_machine` among them; no elements: all are the machine's.
  Tile raw(SiteId site, BufferId buffer, const Box& box);
  // No elements, of integers: the machine's.
  void write(SiteId site, BufferId buffer, const Box& box, const Tile& tile);
  // Undefined from here on.
  void undefine(SiteId site, BufferId buffer, const Box& box);
  void forget(SiteId site, BufferId buffer) { planes_.erase({site, buffer}); }
  // Whether some of these integers come from floats.
  bool has_field_values(SiteId site, BufferId buffer, const Box& box);

 private:
  Plane& plane(SiteId site, BufferId buffer);
  Plane* existing(SiteId site, BufferId buffer);
  const Buffer& of(BufferId buffer) const { return program_.buffers[buffer]; }

  const Program& program_;
  const Topology& topology_;
  Machine& machine_;
  Arithmetic& arithmetic_;
  const Inputs& inputs_;
  std::map<std::pair<SiteId, BufferId>, Plane> planes_;
};

}  // namespace tessera::fields
