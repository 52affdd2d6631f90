#include "interp/memory/joined_boxes.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

// Number of most recent boxes that add() searches for one that contains the new box.
constexpr std::size_t looked_at = 4;

// Joins b into a if a contains b, or if they differ in one dimension and leave no gap there.
bool join(Box& a, const Box& b) {
  int differs = -1;
  for (int d = 0; d < a.rank; ++d) {
    if (a.start[Box::at(d)] == b.start[Box::at(d)] && a.size[Box::at(d)] == b.size[Box::at(d)])
      continue;
    if (differs >= 0) return contains(a, b);
    differs = d;
  }
  if (differs < 0) return true;
  const auto d = Box::at(differs);
  if (b.start[d] > a.end(differs) || a.start[d] > b.end(differs)) return false;
  const std::int64_t end = std::max(a.end(differs), b.end(differs));
  a.start[d] = std::min(a.start[d], b.start[d]);
  a.size[d] = end - a.start[d];
  return true;
}

// Sorts by all dimensions, `last` being compared last. Sorts positions, which are smaller than
// boxes; the first start usually decides the comparison.
void sort(std::vector<Box>& all, int last) {
  const auto of = [](const Box& box, int d) {
    return std::pair(box.start[Box::at(d)], box.size[Box::at(d)]);
  };
  const auto is_before = [&](const Box& a, const Box& b) {
    for (int d = 0; d < a.rank; ++d)
      if (d != last && of(a, d) != of(b, d)) return of(a, d) < of(b, d);
    return of(a, last) < of(b, last);
  };
  if (std::is_sorted(all.begin(), all.end(), is_before)) return;
  const int rank = all.front().rank;
  const std::size_t first = Box::at(last == 0 && rank > 1 ? 1 : 0);
  std::vector<std::pair<std::int64_t, std::size_t>> places;
  places.reserve(all.size());
  for (const Box& box : all) places.emplace_back(box.start[first], places.size());
  std::sort(places.begin(), places.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : is_before(all[a.second], all[b.second]);
  });
  std::vector<Box> sorted;
  sorted.reserve(all.size());
  for (const auto& [start, place] : places) sorted.push_back(all[place]);
  all = std::move(sorted);
}

}  // namespace

bool JoinedBoxes::join_last() {
  const std::size_t count = boxes_.size();
  if (count < 2 || !join(boxes_[count - 2], boxes_[count - 1])) return false;
  boxes_.pop_back();
  return true;
}

void JoinedBoxes::add(const Box& box) {
  for (std::size_t i = boxes_.size(); i-- > 0 && boxes_.size() - i <= looked_at;)
    if (contains(boxes_[i], box)) return;
  boxes_.push_back(box);
  boxes_.back().dropped = 0;
  while (join_last()) {
  }
}

std::vector<Box> JoinedBoxes::take() {
  std::vector<Box> all = std::exchange(boxes_, {});
  if (all.size() < 2) return all;
  // Boxes that can be joined along dimension `last` are adjacent after the sort.
  for (int last = all.front().rank; last-- > 0;) {
    sort(all, last);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
      if (!join(all[kept], all[i])) all[++kept] = all[i];
    all.resize(kept + 1);
  }
  return all;
}

}  // namespace tessera
