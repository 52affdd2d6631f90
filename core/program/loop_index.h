// Position within loops: the indices of the enclosing loops and grid dimensions, outermost first,
// by their names in the source.
#pragma once  // public
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// Index of one loop or grid dimension.
struct LoopIndex {
  std::string name;        // name of the index in the source
  std::int64_t value = 0;  // its value
  bool operator==(const LoopIndex&) const = default;
};
// Outermost loop first.
using LoopIndices = std::vector<LoopIndex>;

// Returns "i=0 j=1 s=3"; empty without indices. A loop without a name is "loop".
std::string to_string(const LoopIndices& indices);

}  // namespace tessera
