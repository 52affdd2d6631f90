#include "interp/memory/box_cover.h"

#include <algorithm>
#include <set>

namespace tessera {

std::vector<Box> without(const Box& box, const Box& hole) {
  if (!intersects(box, hole)) return {box};
  std::vector<Box> left;
  Box rest = box;  // shrinks to the intersection with the hole, one dimension at a time
  for (int d = 0; d < box.rank; ++d) {
    const auto u = Box::at(d);
    const std::int64_t begin = std::max(rest.start[u], hole.start[u]);
    const std::int64_t end = std::min(rest.end(d), hole.end(d));
    if (rest.start[u] < begin) {
      left.push_back(rest);
      left.back().size[u] = begin - rest.start[u];
    }
    if (end < rest.end(d)) {
      left.push_back(rest);
      left.back().start[u] = end;
      left.back().size[u] = rest.end(d) - end;
    }
    rest.start[u] = begin;
    rest.size[u] = end - begin;
  }
  return left;
}

namespace {

// True if the boxes differ in one dimension only, and `next` starts there at the end of `first`.
bool continues(const Box& first, const Box& next) {
  int along = -1;
  for (int d = 0; d < first.rank; ++d) {
    const auto u = Box::at(d);
    if (first.start[u] == next.start[u] && first.size[u] == next.size[u]) continue;
    if (along >= 0 || first.end(d) != next.start[u]) return false;
    along = d;
  }
  return along >= 0;
}

}  // namespace

void BoxCover::add(const Box& box) {
  if (box.empty()) return;
  for (const Box& known : boxes_)
    if (contains(known, box)) return;
  std::erase_if(boxes_, [&](const Box& known) { return contains(box, known); });
  // Consecutive elements or rows stay one box.
  if (!boxes_.empty() && continues(boxes_.back(), box)) {
    Box& last = boxes_.back();
    for (int d = 0; d < box.rank; ++d) {
      if (last.start[Box::at(d)] != box.start[Box::at(d)])
        last.size[Box::at(d)] += box.size[Box::at(d)];
    }
    return;
  }
  boxes_.push_back(box);
}

std::vector<Box> BoxCover::missing(const Box& box) const {
  if (box.empty()) return {};
  std::vector<Box> left = {box}, next;
  for (auto known = boxes_.rbegin(); known != boxes_.rend() && !left.empty(); ++known) {
    next.clear();
    for (const Box& part : left) {
      const std::vector<Box> rest = without(part, *known);
      next.insert(next.end(), rest.begin(), rest.end());
    }
    left.swap(next);
  }
  return left;
}

namespace {

// Returns the dimension in which the boxes have the most distinct starts.
int separating_dimension(const std::vector<const Box*>& boxes) {
  int best = 0;
  std::size_t most = 0;
  const int rank = boxes.empty() ? 0 : boxes.front()->rank;
  for (int d = 0; d < rank; ++d) {
    std::set<std::int64_t> starts;
    for (const Box* box : boxes) starts.insert(box->start[Box::at(d)]);
    if (starts.size() > most) {
      most = starts.size();
      best = d;
    }
  }
  return best;
}

}  // namespace

void for_each_meeting(const std::vector<const Box*>& a, const std::vector<const Box*>& b,
                      const std::function<bool(std::size_t, std::size_t)>& meet) {
  if (a.empty() || b.empty()) return;
  if (a.front()->rank == 0) {
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        if (!meet(i, j)) return;
    return;
  }
  const int d = separating_dimension(b.size() > a.size() ? b : a);
  struct Entry {
    std::int64_t start, end;
    std::size_t index;
    bool is_a;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < a.size(); ++i)
    entries.push_back({a[i]->start[Box::at(d)], a[i]->end(d), i, true});
  for (std::size_t j = 0; j < b.size(); ++j)
    entries.push_back({b[j]->start[Box::at(d)], b[j]->end(d), j, false});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& x, const Entry& y) { return x.start < y.start; });
  std::vector<Entry> open[2];
  for (const Entry& entry : entries) {
    std::vector<Entry>& others = open[entry.is_a ? 0 : 1];
    std::erase_if(others, [&](const Entry& o) { return o.end <= entry.start; });
    for (const Entry& other : others) {
      const std::size_t i = entry.is_a ? entry.index : other.index;
      const std::size_t j = entry.is_a ? other.index : entry.index;
      if (intersects(*a[i], *b[j]) && !meet(i, j)) return;
    }
    open[entry.is_a ? 1 : 0].push_back(entry);
  }
}

}  // namespace tessera
