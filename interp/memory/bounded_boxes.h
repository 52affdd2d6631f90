// Joined rectangles whose memory is bounded by their union, even if a loop adds them repeatedly.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "interp/memory/joined_boxes.h"

namespace tessera {

class BoundedBoxes {
 public:
  void add(const Box& box) {
    all_.add(box);
    if (all_.size() < 2 * joined_ + 256) return;
    for (const Box& one : all_.take()) all_.add(one);
    joined_ = all_.size();
  }
  bool empty() const { return all_.empty(); }
  template <typename F>
  void for_each(F take) const {
    all_.for_each(std::move(take));
  }
  // Returns the joined boxes and clears this object.
  std::vector<Box> take() {
    joined_ = 0;
    return all_.take();
  }

 private:
  JoinedBoxes all_;
  std::size_t joined_ = 0;  // number of boxes after the last full join
};

}  // namespace tessera
