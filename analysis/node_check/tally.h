// Counts of comparisons between nodes of a task graph and the interpreter.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::graph {

struct Tally {
  std::int64_t nodes = 0;     // in the graph; not compared if they only write private memory
  std::int64_t compared = 0;  // sum of the next four
  std::int64_t same = 0;
  std::int64_t within = 0;     // within the error bound
  std::int64_t unbounded = 0;  // different bits, and no error bound is known
  std::int64_t differ = 0;     // wrong
  std::int32_t first = -1;     // first side that is wrong; -1: none
  std::string why{};           // reason for the first unbounded comparison

  // Adds counts for other nodes of the same graph, or for another run. `nodes` does not change.
  void add(const Tally& other);
};

// Serialise a tally for other processes, and read it. Other text fails a CHECK.
std::string packed(const Tally& tally);
Tally tally_of(std::string_view packed);

}  // namespace tessera::graph
