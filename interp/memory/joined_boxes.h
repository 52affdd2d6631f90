// Rectangles as few as say the same.
#pragma once
#include <vector>

#include "interp/memory/view.h"

namespace tessera {

// Those that come one behind the other, as rows or the tiles of a grid do, are joined as they come;
// what is dropped of them is not kept.
class JoinedBoxes {
 public:
  void add(const Box& box);
  bool empty() const { return boxes_.empty(); }
  std::size_t size() const { return boxes_.size(); }
  template <typename F>
  void for_each(F take) const {
    for (const Box& box : boxes_) take(box);
  }
  // Whatever order they came in. Nothing is left here.
  std::vector<Box> take();

 private:
  bool join_last();

  std::vector<Box> boxes_;
};

}  // namespace tessera
