// Where in its loops an event or a finding stands: the indices of the loops and grid dimensions
// around it, outermost first, by the names of the source. For what a pipeline does behind or ahead
// of its loops they are those of the point that it is done for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/program.h"
#include "interp/event.h"

namespace tessera {

struct LoopIndex {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const LoopIndex&) const = default;
};
using LoopIndices = std::vector<LoopIndex>;

std::string to_string(const LoopIndices& indices);  // "i=0 j=1 s=3"

// The values of the loops around a statement (the statement's own core has these registers); they
// say little by themselves, and are cheap to keep.
void read_loops(const Program& program, std::int32_t statement, const std::int64_t* registers,
                LoopValues& values);
LoopIndices loop_indices(const Program& program, std::int32_t statement, const LoopValues& values);
LoopIndices loop_indices(const Program& program, std::int32_t statement,
                         const std::int64_t* registers);
LoopIndices loop_indices(const Program& program, const Event& event);

}  // namespace tessera
