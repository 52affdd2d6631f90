#include "analysis/certificate/races/range_tree.h"

#include <algorithm>
#include <limits>

namespace tessera {

std::span<const RangeNodeId> RangeTrees::children(RangeNodeId node) const {
  return {inner(node).children.data(), inner(node).count};
}

RangeTrees::Meets RangeTrees::meets_of(const Inner& inner, const Box& box) const {
  Meets meets = Meets::all;
  for (int d = 0; d < box.rank; ++d) {
    const std::size_t i = Box::at(d);
    if (inner.first_start[i] >= box.end(d) || inner.last_end[i] <= box.start[i]) return Meets::none;
    if (inner.last_start[i] >= box.end(d) || inner.first_end[i] <= box.start[i])
      meets = Meets::some;
  }
  return meets;
}

RangeNodeId RangeTrees::add(std::vector<RangeId> ranges) { return build(ranges); }

// Splits the ranges into halves along the dimension and side (start or end) with the widest spread.
RangeNodeId RangeTrees::build(std::span<RangeId> ranges) {
  if (ranges.size() == 1) return node_of(ranges.front());
  Inner inner;
  const auto box = [&](RangeId r) -> const Box& { return ranges_[r].box; };
  const int rank = box(ranges.front()).rank;
  std::int64_t widest = -1;
  int by = 0;
  bool by_end = false;
  for (int d = 0; d < rank; ++d) {
    const std::size_t i = Box::at(d);
    inner.first_start[i] = inner.first_end[i] = std::numeric_limits<std::int64_t>::max();
    inner.last_start[i] = inner.last_end[i] = std::numeric_limits<std::int64_t>::min();
    for (const RangeId r : ranges) {
      inner.first_start[i] = std::min(inner.first_start[i], box(r).start[i]);
      inner.last_start[i] = std::max(inner.last_start[i], box(r).start[i]);
      inner.first_end[i] = std::min(inner.first_end[i], box(r).end(d));
      inner.last_end[i] = std::max(inner.last_end[i], box(r).end(d));
    }
    for (const bool is_end : {false, true}) {
      const std::int64_t width = is_end ? inner.last_end[i] - inner.first_end[i]
                                        : inner.last_start[i] - inner.first_start[i];
      if (width <= widest) continue;
      widest = width;
      by = d;
      by_end = is_end;
    }
  }
  if (ranges.size() <= inner.children.size()) {
    std::transform(ranges.begin(), ranges.end(), inner.children.begin(), node_of);
    inner.count = ranges.size();
  } else {
    const auto middle = ranges.begin() + static_cast<std::ptrdiff_t>(ranges.size() / 2);
    std::nth_element(ranges.begin(), middle, ranges.end(), [&](RangeId a, RangeId b) {
      const std::int64_t one = by_end ? box(a).end(by) : box(a).start[Box::at(by)];
      const std::int64_t other = by_end ? box(b).end(by) : box(b).start[Box::at(by)];
      return one != other ? one < other : a < b;
    });
    const std::size_t half = ranges.size() / 2;
    inner.children = {build(ranges.first(half)), build(ranges.subspan(half))};
    inner.count = 2;
  }
  const RangeNodeId node = parents_.add({});
  inner_.push_back(inner);
  for (const RangeNodeId child : children(node)) parents_[child] = node;
  return node;
}

}  // namespace tessera
