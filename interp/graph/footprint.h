// What a half of a node touches, as few rectangles as say the same.
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "interp/graph/task_graph.h"
#include "interp/memory/box_index.h"

namespace tessera::graph {

class Footprint {
 public:
  // graph: whose memories the touches are of; it lives longer.
  explicit Footprint(const TaskGraph& graph) : graph_(graph) {}
  // In the order in which it happens: nothing is read of others where the half has written itself.
  void add(const Touch& touch);
  // Rectangles that together are one are one. Nothing is left here.
  std::vector<Touch> take();

 private:
  bool is_known(const Touch& touch);
  void drop_repeated();

  const TaskGraph& graph_;
  std::vector<Touch> touches_;      // some of them more than once
  std::size_t looked_through_ = 0;  // so many there are once, and sorted
  std::map<MemoryId, BoxIndex<char>> written_;
};

// The buffer's; of a number, which is of no buffer, that of one element.
const Shape& shape_of(const TaskGraph& graph, MemoryId memory);

}  // namespace tessera::graph
