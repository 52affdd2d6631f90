// Set operations on rectangles: difference and intersecting pairs. All boxes of a call or an object
// have the same rank.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "interp/memory/view.h"

namespace tessera {

// Returns the elements of `box` that are not in `hole`, as disjoint boxes; `box` itself if the two
// do not intersect.
std::vector<Box> without(const Box& box, const Box& hole);

// Union of boxes.
class BoxCover {
 public:
  void add(const Box& box);
  // Returns the parts of `box` that are not covered, as disjoint boxes; empty if all is covered.
  std::vector<Box> missing(const Box& box) const;
  void clear() { boxes_.clear(); }

 private:
  std::vector<Box> boxes_;
};

// Calls `meet(i, j)` for each pair of boxes a[i] and b[j] that have an element in common, until it
// returns false. The time grows with the number of boxes and of pairs that overlap along the
// dimension in which the boxes start at the most positions.
void for_each_meeting(const std::vector<const Box*>& a, const std::vector<const Box*>& b,
                      const std::function<bool(std::size_t, std::size_t)>& meet);

}  // namespace tessera
