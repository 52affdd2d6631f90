// Where in its loops something stands: the indices of the loops and grid dimensions around it,
// outermost first, by the names of the source.
#pragma once  // public
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct LoopIndex {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const LoopIndex&) const = default;
};
using LoopIndices = std::vector<LoopIndex>;

std::string to_string(const LoopIndices& indices);  // "i=0 j=1 s=3"

}  // namespace tessera
