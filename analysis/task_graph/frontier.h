// The edges of a graph: for each memory who wrote and read it last, and so who has to be done
// before what comes.
#pragma once
#include <deque>
#include <memory_resource>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "interp/memory/box_index.h"

namespace tessera::graph {

// Fills Half::before, from the halves' touches in their order. What one write covers is forgotten:
// who comes later has an edge to that write, and so a path to what it had an edge to. Every path is
// one of halves in one memory; none leads through a copy, whose write may come long after its read.
class Frontier {
 public:
  explicit Frontier(TaskGraph& graph) : graph_(graph), of_(graph.memories.size(), nullptr) {}
  void run();
  // The others keep the edges that they have.
  void run(const Table<HalfId, bool>& wanted);
  // Of the results of the program, after run(): whose values are still there.
  std::vector<HalfId> last_writers() const;

 private:
  struct Lists {
    BoxIndex<HalfId> writers, readers;
  };
  Lists& lists(MemoryId memory);
  void look(HalfId half);
  void look(HalfId half, const Touch& touch);
  void enter(HalfId half, const Touch& touch);

  TaskGraph& graph_;
  std::pmr::unsynchronized_pool_resource pool_;  // of the lists
  std::deque<Lists> lists_;
  Table<MemoryId, Lists*> of_;  // of memory that is reached
  std::vector<Before> before_;  // of the half that is looked at
};

}  // namespace tessera::graph
