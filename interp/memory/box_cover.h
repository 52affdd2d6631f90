// Rectangles as sets of elements: what of one is left without another, and which of many meet.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "interp/memory/view.h"

namespace tessera {

// The elements of `box` that are not in `hole`, as disjoint boxes; `box` itself where they do not
// meet.
std::vector<Box> without(const Box& box, const Box& hole);

// Elements that have been covered by one box after another.
class BoxCover {
 public:
  void add(const Box& box);
  // What of `box` is in none of them; empty when all is.
  std::vector<Box> missing(const Box& box) const;
  void clear() { boxes_.clear(); }

 private:
  std::vector<Box> boxes_;
};

// Calls `meet(i, j)` for pairs of boxes that have an element in common, i from `a` and j from `b`,
// until it returns false. Time grows with the boxes and with those that overlap along the dimension
// that separates them best.
void for_each_meeting(const std::vector<const Box*>& a, const std::vector<const Box*>& b,
                      const std::function<bool(std::size_t, std::size_t)>& meet);

}  // namespace tessera
