// The edges of a graph: for each memory who wrote and read it last, and so who has to be done
// before what comes.
#pragma once
#include <vector>

#include "interp/graph/task_graph.h"

namespace tessera::graph {

// Fills Half::before, from the halves' touches in their order. What one write covers is forgotten:
// who comes later has an edge to that write, and so a path to what it had an edge to. Every path is
// one of halves in one memory; none leads through a copy, whose write may come long after its read.
class Frontier {
 public:
  explicit Frontier(TaskGraph& graph) : graph_(graph), memories_(graph.memories.size()) {}
  void run();
  // Of the results of the program, after run(): whose values are still there.
  std::vector<HalfId> last_writers() const;

 private:
  struct Live {
    HalfId half{};
    Box box{};
  };
  struct Lists {
    std::vector<Live> writers, readers;
  };
  void look(HalfId half, const Touch& touch);
  void enter(HalfId half, const Touch& touch);
  void add(HalfId half, HalfId before, bool is_data);

  TaskGraph& graph_;
  Table<MemoryId, Lists> memories_;
};

// The halves of the nodes: what they touch, each rectangle once. touches: by action.
void add_halves(TaskGraph& graph, const Table<ActionId, std::vector<Touch>>& touches);

}  // namespace tessera::graph
