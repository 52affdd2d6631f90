#include "analysis/certificate/races/range_ids.h"

#include <utility>

namespace tessera {
namespace {

constexpr std::size_t hints = std::size_t{1} << 16;

}  // namespace

std::uint32_t RangeIds::hash(const Range& range) {
  std::uint64_t hash = static_cast<std::uint64_t>(range.core.index) * 0x9E3779B97F4A7C15ULL ^
                       static_cast<std::uint64_t>(range.object) << 8 ^
                       static_cast<std::uint64_t>(range.kind);
  const auto mix = [&](std::int64_t word) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  };
  for (std::size_t d = 0; d < static_cast<std::size_t>(range.box.rank); ++d) {
    mix(range.box.start[d]);
    mix(range.box.size[d]);
  }
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

bool RangeIds::is_same(const Range& a, const Range& b) {
  if (a.core != b.core || a.object != b.object || a.kind != b.kind || a.owner != b.owner ||
      a.box.rank != b.box.rank || a.box.dropped != b.box.dropped)
    return false;
  for (std::size_t d = 0; d < static_cast<std::size_t>(a.box.rank); ++d)
    if (a.box.start[d] != b.box.start[d] || a.box.size[d] != b.box.size[d]) return false;
  return true;
}

void RangeIds::grow() {
  std::vector<Slot> slots(slots_.empty() ? 1024 : 2 * slots_.size());
  for (const Slot& old : slots_) {
    if (!old.number) continue;
    std::size_t slot = old.hash & (slots.size() - 1);
    while (slots[slot].number) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = old;
  }
  slots_ = std::move(slots);
}

RangeId RangeIds::of(const Range& range, std::uint32_t hint, Table<RangeId, Range>& ranges) {
  if (recent_.empty()) recent_.resize(hints);
  RangeId& last = recent_[hint % hints];
  if (last && is_same(ranges[last], range)) return last;
  if (4 * ranges.size() >= 3 * slots_.size()) grow();
  const std::uint32_t wanted = hash(range);
  std::size_t slot = wanted & (slots_.size() - 1);
  for (; slots_[slot].number; slot = (slot + 1) & (slots_.size() - 1)) {
    const Slot& known = slots_[slot];
    if (known.hash == wanted && is_same(ranges[known.number], range)) return last = known.number;
  }
  last = ranges.add(range);
  slots_[slot] = {last, wanted};
  return last;
}

}  // namespace tessera
