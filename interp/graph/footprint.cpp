#include "interp/graph/footprint.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <utility>

namespace tessera::graph {
namespace {

// Memory and manner, of those that may be joined.
bool is_same_kind(const Touch& a, const Touch& b) {
  return a.memory == b.memory && a.reads == b.reads && a.writes == b.writes &&
         a.box.rank == b.box.rank;
}

// Orders touches of one kind by all dimensions, the given one last. Those of one kind stand side by
// side.
bool is_before(const Touch& a, const Touch& b, int last) {
  if (a.memory != b.memory) return a.memory < b.memory;
  if (a.reads != b.reads) return b.reads;
  if (a.writes != b.writes) return b.writes;
  if (a.box.rank != b.box.rank) return a.box.rank < b.box.rank;
  std::strong_ordering order = std::strong_ordering::equal;
  const auto compare = [&](int d) {
    order = a.box.start[Box::at(d)] <=> b.box.start[Box::at(d)];
    if (order == 0) order = a.box.size[Box::at(d)] <=> b.box.size[Box::at(d)];
  };
  for (int d = 0; d < a.box.rank && order == 0; ++d)
    if (d != last) compare(d);
  if (order == 0 && last < a.box.rank) compare(last);
  return order < 0;
}

// Their places are sorted, which are smaller than they are.
void sort(std::vector<Touch>& all, int last) {
  const auto is_less = [&](const Touch& a, const Touch& b) { return is_before(a, b, last); };
  if (std::is_sorted(all.begin(), all.end(), is_less)) return;
  std::vector<std::uint32_t> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(),
            [&](std::uint32_t a, std::uint32_t b) { return is_less(all[a], all[b]); });
  std::vector<Touch> sorted;
  sorted.reserve(all.size());
  for (const std::uint32_t place : places) sorted.push_back(all[place]);
  all = std::move(sorted);
}

// Whether the two differ in that dimension alone, and leave no gap there; b does not begin first.
bool are_one(const Touch& a, const Touch& b, int dimension) {
  if (!is_same_kind(a, b) || b.box.start[Box::at(dimension)] > a.box.end(dimension)) return false;
  for (int d = 0; d < a.box.rank; ++d)
    if (d != dimension && (a.box.start[Box::at(d)] != b.box.start[Box::at(d)] ||
                           a.box.size[Box::at(d)] != b.box.size[Box::at(d)]))
      return false;
  return true;
}

void join(std::vector<Touch>& all, int dimension) {
  const auto has_it = [&](const Touch& t) { return dimension < t.box.rank; };
  if (all.size() < 2 || std::none_of(all.begin(), all.end(), has_it)) return;
  sort(all, dimension);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    Touch& last = all[kept];
    if (has_it(last) && has_it(all[i]) && are_one(last, all[i], dimension)) {
      const std::int64_t end = std::max(last.box.end(dimension), all[i].box.end(dimension));
      last.box.size[Box::at(dimension)] = end - last.box.start[Box::at(dimension)];
    } else {
      all[++kept] = all[i];
    }
  }
  all.resize(kept + 1);
}

}  // namespace

const Shape& shape_of(const TaskGraph& graph, MemoryId memory) {
  static const Shape number;
  const BufferId buffer = graph.memories[memory].buffer;
  return buffer ? graph.program.buffers[buffer].shape : number;
}

bool Footprint::is_known(const Touch& touch) {
  const auto own = written_.find(touch.memory);
  if (own == written_.end()) return false;
  bool is_covered = false;
  own->second.for_each_meeting(
      touch.box, [&](const Box& box, char) { is_covered |= contains(box, touch.box); });
  return is_covered;
}

void Footprint::add(const Touch& touch) {
  if (touch.box.empty()) return;
  Touch plain = touch;
  plain.box.dropped = 0;
  if (is_known(plain)) return;
  if (plain.writes)
    written_.try_emplace(plain.memory, shape_of(graph_, plain.memory))
        .first->second.add(plain.box, {});
  touches_.push_back(plain);
  // What a loop reads again and again takes no more room than what it reads.
  if (touches_.size() >= 2 * looked_through_ + 256) drop_repeated();
}

void Footprint::drop_repeated() {
  sort(touches_, max_rank);
  const auto same = [](const Touch& a, const Touch& b) {
    return !is_before(a, b, max_rank) && !is_before(b, a, max_rank);
  };
  touches_.erase(std::unique(touches_.begin(), touches_.end(), same), touches_.end());
  looked_through_ = touches_.size();
}

std::vector<Touch> Footprint::take() {
  drop_repeated();
  std::vector<Touch> all = std::exchange(touches_, {});
  looked_through_ = 0;
  written_.clear();
  for (int d = max_rank; d-- > 0;) join(all, d);
  return all;
}

}  // namespace tessera::graph
