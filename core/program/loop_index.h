// Where in its loops something stands: the indices of the loops and grid dimensions around it,
// outermost first, by the names of the source.
#pragma once  // public
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// The index of one loop or grid dimension.
struct LoopIndex {
  std::string name;        // of the index, as the source has it
  std::int64_t value = 0;  // its value
  bool operator==(const LoopIndex&) const = default;
};
// Outermost loop first.
using LoopIndices = std::vector<LoopIndex>;

std::string to_string(const LoopIndices& indices);  // "i=0 j=1 s=3"

}  // namespace tessera
