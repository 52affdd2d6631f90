// What a half of a node touches, as few rectangles as say the same.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "interp/memory/bounded_boxes.h"
#include "interp/memory/box_index.h"

namespace tessera::graph {

class Footprint {
 public:
  // graph: whose memories the touches are of; it lives longer.
  explicit Footprint(const TaskGraph& graph) : graph_(graph) {}
  // In the order in which it happens: nothing is read of others where the side has written itself.
  void add(const MemoryAccess& access);
  // By memory. Rectangles that together are one are one. Nothing is left here.
  std::vector<MemoryAccess> take();

 private:
  // read: and what may have been written before, in part.
  enum Mode : int { read, update, write };
  struct Reached {
    BoundedBoxes by_manner[3]{};
    std::optional<BoxIndex<char>> written{};  // once it is read after a write
    bool is_written() const { return !by_manner[update].empty() || !by_manner[write].empty(); }
  };
  bool is_own(Reached& reached, MemoryId memory, const Box& box) const;

  const TaskGraph& graph_;
  std::map<MemoryId, Reached> reached_;
};

// The buffer's; of a number, which is of no buffer, that of one element.
const Shape& shape_of(const TaskGraph& graph, MemoryId memory);

}  // namespace tessera::graph
