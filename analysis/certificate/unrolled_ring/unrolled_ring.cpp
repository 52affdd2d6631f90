#include "analysis/certificate/unrolled_ring/unrolled_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/certificate/races/race_search.h"
#include "analysis/certificate/unrolled_ring/cover.h"
#include "analysis/certificate/unrolled_ring/gap.h"

namespace tessera {
namespace {

// Minimum size of an unrolled ring: in devices, and as a multiple of the ring.
constexpr std::int32_t min_devices = 24, min_times = 4;
// Max number of replayed events, as a multiple of the budget.
constexpr std::int64_t replays = 20;

class Unrolling {
 public:
  Unrolling(const Ring& ring, const UnrollOptions& options) : ring_(ring), options_(options) {
    result_.reach = ring.reach;
    result_.has_equal_boxes = ring.has_equal_boxes;
  }

  UnrolledRing run() {
    std::int32_t times = min_times;
    while (times * ring_.size() < std::max(min_devices, 6 * ring_.reach + 2)) ++times;
    for (;; times *= 2) {
      result_.devices = times * ring_.size();
      if (events_of_cover(ring_, result_.devices) > options_.budget) return over_budget();
      const Cover unrolled = cover(ring_, result_.devices);
      const Gap gap = find_gap(ring_, unrolled, replays * options_.budget, result_.events_replayed);
      if (gap == Gap::over_budget) return over_budget();
      if (gap == Gap::too_small) continue;
      // By symmetry, one device stands for all. If rectangles depend on the device, the devices of
      // the ring stand for all.
      std::vector<Race> races = search(unrolled, ring_.has_equal_boxes ? 1 : ring_.size());
      for (const Race& race : races) add_pair(unrolled, race);
      break;
    }
    result_.verdict = result_.pairs.empty() ? LengthVerdict::quiet : LengthVerdict::rests_on_length;
    find_next_lengths();
    return std::move(result_);
  }

 private:
  UnrolledRing over_budget() {
    result_.reason = fmt::format("a ring of {} devices has more than {} events", result_.devices,
                                 options_.budget);
    return std::move(result_);
  }

  // Returns the races of accesses of the first devices with any others.
  std::vector<Race> search(const Cover& unrolled, std::int32_t devices) {
    RaceSearchContext context(unrolled.record, SearchMode::adaptive);
    RaceSearch search(context, options_.max_races, 0, 1, devices * ring_.cores());
    search.run();
    result_.events_replayed += search.events_replayed() + context.swept();
    result_.has_more_pairs = result_.has_more_pairs || search.found().is_full();
    std::vector<Race> races = search.found().races();
    std::erase_if(races, [](const Race& race) { return race.is_order; });
    return races;
  }

  static std::pair<StmtId, StmtId> statements(const Record& record, const Race& race) {
    return std::minmax({record.event(race.x).statement, record.event(race.y).statement});
  }

  EventId recorded(const Cover& unrolled, EventId e) const {
    const auto place = static_cast<std::size_t>(unrolled.device(e) % ring_.size());
    return ring_.recorded[place][static_cast<std::size_t>(unrolled.source(e))];
  }

  void add_pair(const Cover& unrolled, const Race& race) {
    const std::int32_t devices = unrolled.record.topology.devices;
    std::int32_t distance = unrolled.device(race.y) - unrolled.device(race.x);
    if (2 * distance > devices) distance -= devices;
    if (2 * distance < -devices) distance += devices;
    const auto [first, second] = statements(unrolled.record, race);
    result_.pairs.push_back({.x = recorded(unrolled, race.x),
                             .y = recorded(unrolled, race.y),
                             .first = first,
                             .second = second,
                             .distance = distance,
                             .pairs = race.pairs});
  }

  void find_next_lengths() {
    if (!ring_.has_equal_boxes) return;
    const auto is_open = [](const LengthPair& pair) { return pair.next_length == 0; };
    for (std::int32_t devices = ring_.size() + 1; devices <= options_.max_devices; ++devices) {
      if (std::none_of(result_.pairs.begin(), result_.pairs.end(), is_open)) return;
      if (result_.events_replayed > replays * options_.budget ||
          events_of_cover(ring_, devices) > options_.budget)
        return;
      const Cover longer = cover(ring_, devices);
      const bool had_more = result_.has_more_pairs;
      for (const Race& race : search(longer, 1))
        for (LengthPair& pair : result_.pairs)
          if (is_open(pair) &&
              statements(longer.record, race) == std::pair(pair.first, pair.second))
            pair.next_length = devices;
      result_.has_more_pairs = had_more;
    }
  }

  const Ring& ring_;
  const UnrollOptions& options_;
  UnrolledRing result_;
};

}  // namespace

UnrolledRing unroll_ring(const Record& record, const UnrollOptions& options) {
  const FoundRing found = find_ring(record);
  if (!found.ring) return {.reason = found.reason};
  return Unrolling(*found.ring, options).run();
}

}  // namespace tessera
