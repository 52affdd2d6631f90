// Sets of rectangles that join adjacent ones.
#pragma once
#include <vector>

#include "interp/memory/view.h"

namespace tessera {

// Joins adjacent boxes when they are added in order, like rows or the tiles of a grid. Dropped
// dimensions are not kept. All boxes must have the same rank.
class JoinedBoxes {
 public:
  void add(const Box& box);
  bool empty() const { return boxes_.empty(); }
  std::size_t size() const { return boxes_.size(); }
  template <typename F>
  void for_each(F take) const {
    for (const Box& box : boxes_) take(box);
  }
  // Returns the boxes, joined independently of the order in which they were added, and clears this
  // object.
  std::vector<Box> take();

 private:
  bool join_last();  // joins the last two boxes; false if they cannot be joined

  std::vector<Box> boxes_;
};

}  // namespace tessera
