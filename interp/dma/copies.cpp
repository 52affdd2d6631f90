#include "interp/dma/copies.h"

#include <algorithm>

namespace tessera {

Copies::Copies(const Topology& topology, bool in_order) : topology_(topology) {
  if (in_order)
    lanes_.resize(static_cast<std::size_t>(topology.count()) *
                  static_cast<std::size_t>(topology.devices));
}

std::vector<std::int32_t> Copies::slots() const {
  std::vector<bool> is_free(slots_.size());
  for (const std::int32_t slot : free_) is_free[static_cast<std::size_t>(slot)] = true;
  std::vector<std::int32_t> used;
  for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(slots_.size()); ++slot)
    if (!is_free[static_cast<std::size_t>(slot)]) used.push_back(slot);
  std::sort(used.begin(), used.end(),
            [&](std::int32_t a, std::int32_t b) { return at(a).serial < at(b).serial; });
  return used;
}

std::int32_t Copies::add(Copy copy) {
  std::int32_t slot;
  if (free_.empty()) {
    slot = static_cast<std::int32_t>(slots_.size());
    slots_.push_back(std::move(copy));
  } else {
    slot = free_.back();
    free_.pop_back();
    at(slot) = std::move(copy);
  }
  ++in_flight_;
  if (!is_in_lane(at(slot))) return slot;
  Lane& queue = lanes_[lane(at(slot))];
  (queue.first < 0 ? queue.first : at(queue.last).next_in_lane) = slot;
  queue.last = slot;
  return slot;
}

std::int32_t Copies::remove(std::int32_t slot) {
  std::int32_t next = -1;
  if (is_in_lane(at(slot))) {
    Lane& queue = lanes_[lane(at(slot))];
    next = at(slot).next_in_lane;
    queue.first = next;
    if (next < 0) queue.last = -1;
  }
  at(slot).data = Snapshot();
  at(slot).staging.reset();
  free_.push_back(slot);
  --in_flight_;
  return next;
}

std::int32_t Copies::first_of_lane(std::int32_t slot) const {
  return !is_in_lane(at(slot)) ? slot : lanes_[lane(at(slot))].first;
}

void Copies::add_pending(SemCell& cell, std::int32_t slot, int which) {
  const std::int32_t entry = slot * 2 + which;
  Copy& copy = at(slot);
  copy.previous_pending[which] = cell.last_pending;
  copy.next_pending[which] = -1;
  if (cell.last_pending < 0)
    cell.first_pending = entry;
  else
    at(cell.last_pending / 2).next_pending[cell.last_pending % 2] = entry;
  cell.last_pending = entry;
}

void Copies::remove_pending(SemCell& cell, std::int32_t slot, int which) {
  const Copy& copy = at(slot);
  const std::int32_t before = copy.previous_pending[which], after = copy.next_pending[which];
  if (before < 0)
    cell.first_pending = after;
  else
    at(before / 2).next_pending[before % 2] = after;
  if (after < 0)
    cell.last_pending = before;
  else
    at(after / 2).previous_pending[after % 2] = before;
}

}  // namespace tessera
