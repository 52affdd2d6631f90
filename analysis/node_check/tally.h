// How many nodes of a task graph left what the interpreter does.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::graph {

struct Tally {
  std::int64_t nodes = 0;     // of the graph; what the others write nobody else sees
  std::int64_t compared = 0;  // of which so many have the same bits, ...
  std::int64_t same = 0;
  std::int64_t within = 0;     // ... lie within the error bound, ...
  std::int64_t unbounded = 0;  // ... differ where nothing bounds the error, ...
  std::int64_t differ = 0;     // ... or are others
  std::int32_t first = -1;     // of those that differ, the side; -1: none does
  std::string why{};           // nothing bounds the error of the first that is so

  // Of other nodes of the same graph, or of another run.
  void add(const Tally& other);
};

// For other processes.
std::string packed(const Tally& tally);
Tally tally_of(std::string_view packed);

}  // namespace tessera::graph
