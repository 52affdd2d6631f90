// The accesses of a side, merged into few rectangles.
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
  // graph: contains the memories. Must outlive this object.
  explicit Footprint(const TaskGraph& graph) : graph_(graph) {}
  // Accesses must be added in program order. Empty rectangles, and reads within one rectangle that
  // the side has written, are ignored.
  void add(const MemoryAccess& access);
  // Returns the accesses by memory, merged where possible, and clears the footprint. For each
  // memory: only reads, then reads with writes, then only writes.
  std::vector<MemoryAccess> take();

 private:
  // read: includes reads of elements of which only a part has been written before.
  enum Mode : int { read, update, write };
  struct Reached {
    BoundedBoxes by_manner[3]{};
    std::optional<BoxIndex<char>> written{};  // set by the first read after a write
    bool is_written() const { return !by_manner[update].empty() || !by_manner[write].empty(); }
  };
  bool is_own(Reached& reached, MemoryId memory, const Box& box) const;

  const TaskGraph& graph_;
  std::map<MemoryId, Reached> reached_;
};

// Returns the shape of the memory's buffer; the empty shape of one element for a scalar, which has
// no buffer.
const Shape& shape_of(const TaskGraph& graph, MemoryId memory);

}  // namespace tessera::graph
