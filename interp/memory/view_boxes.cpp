// Rectangles of a buffer.
#include <algorithm>

#include "interp/memory/view.h"

namespace tessera {

std::int64_t Box::elements() const {
  std::int64_t product = 1;
  for (int d = 0; d < rank; ++d) product *= size[at(d)];
  return product;
}

bool same_rectangle(const Box& a, const Box& b) {
  return a.rank == b.rank && a.start == b.start && a.size == b.size;
}

bool contains(const Box& outer, const Box& inner) {
  if (inner.empty()) return true;
  for (int d = 0; d < outer.rank; ++d) {
    if (inner.start[Box::at(d)] < outer.start[Box::at(d)] || inner.end(d) > outer.end(d))
      return false;
  }
  return true;
}

bool intersects(const Box& a, const Box& b) {
  if (a.empty() || b.empty()) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.end(d) <= b.start[Box::at(d)] || b.end(d) <= a.start[Box::at(d)]) return false;
  }
  return true;
}

Box element(const Box& box, const Index& index) {
  Box one = box;
  one.start = index;
  for (int d = 0; d < one.rank; ++d) one.size[Box::at(d)] = 1;
  return one;
}

Box intersection(const Box& a, const Box& b) {
  Box result = a;
  for (int d = 0; d < a.rank; ++d) {
    const auto u = Box::at(d);
    result.start[u] = std::max(a.start[u], b.start[u]);
    result.size[u] = std::min(a.end(d), b.end(d)) - result.start[u];
  }
  return result;
}

Box counterpart(const Box& part, const Box& from, const Box& to) {
  Box result = to;
  for (int d = 0, t = 0; d < from.rank; ++d) {
    if (!from.keeps(d)) continue;
    while (!to.keeps(t)) ++t;
    result.start[Box::at(t)] += part.start[Box::at(d)] - from.start[Box::at(d)];
    result.size[Box::at(t++)] = part.size[Box::at(d)];
  }
  return result;
}

namespace {

// Appends from dimension d on; the dimensions before d have size 1.
void append_rectangles(const Box& box, int d, std::int64_t begin, std::int64_t end,
                       std::vector<Box>& result) {
  if (begin >= end) return;
  if (d >= box.rank) return result.push_back(box);
  std::int64_t inner = 1;
  for (int i = d + 1; i < box.rank; ++i) inner *= box.size[Box::at(i)];
  const auto slab = [&](std::int64_t first, std::int64_t count) {
    Box part = box;
    part.start[Box::at(d)] += first;
    part.size[Box::at(d)] = count;
    return part;
  };
  const std::int64_t head = begin / inner, tail = end / inner;
  if (begin == head * inner) {
    if (tail > head) result.push_back(slab(head, tail - head));
    return append_rectangles(slab(tail, 1), d + 1, 0, end - tail * inner, result);
  }
  append_rectangles(slab(head, 1), d + 1, begin - head * inner, std::min(end - head * inner, inner),
                    result);
  append_rectangles(box, d, (head + 1) * inner, end, result);
}

}  // namespace

std::vector<Box> rectangles(const Box& box, std::int64_t begin, std::int64_t end) {
  std::vector<Box> result;
  append_rectangles(box, 0, begin, end, result);
  return result;
}

bool same_kept_sizes(const Box& a, const Box& b) {
  int i = 0, j = 0;
  for (;;) {
    while (i < a.rank && !a.keeps(i)) ++i;
    while (j < b.rank && !b.keeps(j)) ++j;
    if (i == a.rank || j == b.rank) return i == a.rank && j == b.rank;
    if (a.size[Box::at(i++)] != b.size[Box::at(j++)]) return false;
  }
}

std::vector<std::pair<Box, Box>> counterparts(const Box& part, const Box& from, const Box& to) {
  if (same_kept_sizes(from, to)) return {{part, counterpart(part, from, to)}};
  std::vector<std::pair<Box, Box>> pairs;
  if (part.empty()) return pairs;
  // Number of consecutive elements of the part in `from`: all dimensions after the last one that
  // the part does not cover completely.
  std::int64_t run = 1;
  for (int d = part.rank; d-- > 0;) {
    run *= part.size[Box::at(d)];
    if (part.size[Box::at(d)] != from.size[Box::at(d)]) break;
  }
  for (std::int64_t first = 0, all = part.elements(); first < all; first += run) {
    std::int64_t at = position_in(from, index_in(part, first));
    const std::int64_t end = at + run;
    while (at < end) {
      // The longest run from `at` that is one rectangle on both sides.
      std::int64_t next = end;
      for (std::int64_t before = -1; before != next;) {
        before = next;
        next = at + rectangles(from, at, next).front().elements();
        next = at + rectangles(to, at, next).front().elements();
      }
      pairs.emplace_back(rectangles(from, at, next).front(), rectangles(to, at, next).front());
      at = next;
    }
  }
  return pairs;
}

std::int64_t position_in(const Box& box, const Index& index) {
  std::int64_t position = 0;
  for (int d = 0; d < box.rank; ++d)
    position = position * box.size[Box::at(d)] + index[Box::at(d)] - box.start[Box::at(d)];
  return position;
}

Index index_in(const Box& box, std::int64_t position) {
  Index index = box.start;
  for (int d = box.rank; d-- > 0;) {
    index[Box::at(d)] += position % box.size[Box::at(d)];
    position /= box.size[Box::at(d)];
  }
  return index;
}

}  // namespace tessera
