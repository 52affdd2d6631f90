// Builds the edges of a graph from the latest reads and writes of each memory.
#pragma once
#include <deque>
#include <memory_resource>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "interp/memory/box_index.h"

namespace tessera::graph {

// Fills NodeSide::predecessors from the accesses of the sides, in their order. Accesses that a
// write covers are dropped: later sides depend on that write, which depends on them. Every path
// connects sides in one memory. No path leads through a copy, because its write may come long after
// its read.
class EdgeBuilder {
 public:
  // graph: requires its sides; must outlive this object.
  explicit EdgeBuilder(TaskGraph& graph)
      : graph_(graph), lists_by_memory_(graph.memories.size(), nullptr) {}
  // Sets the edges of all sides, sorted by side. An object builds edges once, with one of the two
  // functions.
  void run();
  // Sets the edges of the wanted sides; all other sides keep their edges. wanted: by side.
  void run(const Table<SideId, bool>& wanted);
  // Returns the sides that wrote the final values of the program's results; a side may occur
  // several times. Requires run() for all sides.
  std::vector<SideId> last_writers() const;

 private:
  struct Lists {
    BoxIndex<SideId> writers, readers;
  };
  Lists& lists(MemoryId memory);
  void add_dependences(SideId side);
  void add_dependences(SideId side, const MemoryAccess& access);
  void record(SideId side, const MemoryAccess& access);

  TaskGraph& graph_;
  std::pmr::unsynchronized_pool_resource pool_;  // memory of the lists
  std::deque<Lists> lists_;
  Table<MemoryId, Lists*> lists_by_memory_;  // null: not accessed yet
  std::vector<Dependence> dependences_;      // dependences of the current side
};

}  // namespace tessera::graph
