#include "analysis/certificate/races/race_list.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace tessera {
namespace {

// Number of pairs that a race stores in addition to the last one.
constexpr std::size_t max_first_pairs = 3;
// Maximum number of pairs of additions that are counted for one statement and one range.
constexpr std::int64_t max_sums = 10'000;

// Visits the maximal runs of equal neighbours in order.
template <typename T, typename Same, typename Visit>
void for_each_run(std::span<const T> all, Same same, Visit visit) {
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && same(all[begin], all[end])) ++end;
    visit(all.subspan(begin, end - begin));
  }
}

}  // namespace

void RaceList::sort(std::span<const EventId> events, std::vector<Access>& sorted) const {
  sorted.clear();
  for (const EventId e : events) {
    const RecordedEvent& event = record_.events[e];
    sorted.push_back({event.range(), event.access, event.statement, run_position_[e], e});
  }
  std::sort(sorted.begin(), sorted.end());
}

void RaceList::add_pairs(std::span<const EventId> x, std::span<const EventId> y) {
  if (x.empty() || y.empty()) return;
  sort(x, ours_);
  sort(y, others_);
  const auto is_alike = [](const Access& a, const Access& b) {
    return a.range == b.range && a.kind == b.kind;
  };
  for_each_run(Accesses(ours_), is_alike, [&](Accesses a) {
    for_each_run(Accesses(others_), is_alike, [&](Accesses b) {
      const Clash how = clash(a.front().kind, b.front().kind);
      if (how == Clash::none || (how == Clash::order && is_sum_of_integers(a.front()))) return;
      if (conflicts_.overlap(a.front().range, b.front().range)) add_groups(a, b);
    });
  });
}

bool RaceList::skips(EventId addition) {
  const RecordedEvent& event = record_.events[addition];
  const auto known = sums_.find({event.statement, event.range()});
  if (known == sums_.end() || known->second < max_sums) return false;
  has_skipped_[event.statement] = true;
  return true;
}

bool RaceList::is_sum_of_integers(const Access& access) const {
  const Range& range = record_.ranges[access.range];
  return is_integer(record_.program->buffers[range.buffer()].dtype);
}

RaceList::Topic RaceList::topic(const Access& x, const Access& y) const {
  const Range &a = record_.ranges[x.range], &b = record_.ranges[y.range];
  const Range& range = a.kind == ObjectKind::none ? b : a;
  return {.object = range.kind == ObjectKind::semaphore ? -1 - range.object : range.object,
          .is_order = clash(x.kind, y.kind) == Clash::order,
          .is_leaving = b.kind == ObjectKind::none};
}

namespace {

constexpr auto is_same_statement = [](const auto& a, const auto& b) {
  return a.statement == b.statement;
};

template <typename Group>
auto sorted_by_position(Group group) {
  std::vector<typename Group::value_type> sorted(group.begin(), group.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.position < b.position; });
  return sorted;
}

// The number of pairs with the second access after the first. first, second: sorted by position.
template <typename First, typename Second>
std::int64_t ordered_pairs(const First& first, const Second& second) {
  std::int64_t pairs = 0;
  std::size_t before = 0;
  for (const auto& later : second) {
    while (before < first.size() && first[before].position < later.position) ++before;
    pairs += static_cast<std::int64_t>(before);
  }
  return pairs;
}

}  // namespace

// y: sorted by position.
void RaceList::count_sums(Accesses x, Accesses y) {
  for_each_run(x, is_same_statement, [&](Accesses run) {
    const std::int64_t pairs = ordered_pairs(sorted_by_position(run), y);
    if (pairs > 0) sums_[{run.front().statement, run.front().range}] += pairs;
  });
}

// Adds all pairs of two groups. They are counted without enumeration; statements are paired in the
// order of the text until the limit is reached.
void RaceList::add_groups(Accesses x, Accesses y) {
  const auto sorted_y = sorted_by_position(y);
  const std::int64_t pairs = ordered_pairs(sorted_by_position(x), sorted_y);
  if (pairs == 0) return;
  const Topic about = topic(x.front(), y.front());
  if (about.is_order) count_sums(x, sorted_y);
  Found& found = found_[about];
  found.pairs += pairs;
  if (!about.is_order) note_statements(x, y, about.is_leaving);
  std::vector<Accesses> ours, others;
  for_each_run(x, is_same_statement, [&](Accesses run) { ours.push_back(run); });
  for_each_run(y, is_same_statement, [&](Accesses run) { others.push_back(run); });
  // Pairs the accesses of one statement with the other side's statements from index `from` on.
  const auto pair_up = [&](Accesses one, const std::vector<Accesses>& rest, std::size_t from,
                           bool is_ours) {
    for (std::size_t i = from; i < rest.size(); ++i) {
      const Accesses a = is_ours ? one : rest[i], b = is_ours ? rest[i] : one;
      Key key{one.front().statement, rest[i].front().statement, about.object, one.front().kind,
              rest[i].front().kind};
      if (!is_within_limit(found, key.first, key.second)) return;
      if (std::pair(key.second, key.second_kind) < std::pair(key.first, key.first_kind))
        std::swap(key.first_kind, key.second_kind);
      add_race(found, key, a, b, about.is_order);
    }
  };
  std::size_t i = 0, j = 0;
  while (i < ours.size() || j < others.size()) {
    constexpr StmtId none(std::numeric_limits<std::int32_t>::max());
    const StmtId a = i < ours.size() ? ours[i].front().statement : none;
    const StmtId b = j < others.size() ? others[j].front().statement : none;
    if (!is_within_limit(found, std::min(a, b), std::min(a, b))) return;
    if (a <= b) pair_up(ours[i++], others, j, true);
    if (b <= a) pair_up(others[j++], ours, i, false);
  }
}

// True if a race of these statements would be listed.
bool RaceList::is_within_limit(const Found& found, StmtId first, StmtId second) const {
  if (found.races.size() < max_races_) return true;
  const Key& last = found.races.rbegin()->first;
  return std::pair(first, second) <= std::pair(last.first, last.second);
}

void RaceList::add_race(Found& found, const Key& key, Accesses x, Accesses y, bool is_order) {
  const std::int64_t pairs = ordered_pairs(x, y);
  if (pairs == 0) return;
  const bool is_full = found.races.size() >= max_races_;
  if (is_full && found.races.rbegin()->first < key) return;
  const Pairs kept = first_pairs_and_last(x, y);
  const auto [known, is_new] =
      found.races.try_emplace(key, Race{kept.front().first, kept.front().second, 0, is_order});
  Race& race = known->second;
  race.pairs += pairs;
  for (const Accesses group : {x.first(1), y})
    for (const Access& access : group) note_device(race, access);
  for (std::size_t i = is_new ? 1 : 0; i < kept.size(); ++i)
    insert_pair(race, kept[i].first, kept[i].second);
  if (is_new && is_full) found.races.erase(std::prev(found.races.end()));
}

void RaceList::note_device(Race& race, const Access& access) const {
  const RecordedAgentId agent = record_.events[access.event].agent;
  const std::int32_t device = record_.agents[agent].id.device;
  const auto place = std::lower_bound(race.devices.begin(), race.devices.end(), device);
  if (place == race.devices.end() || *place != device) race.devices.insert(place, device);
}

// The pairs of two groups that can be among the first by canonical key, and the last. An earlier x
// of an agent has the lower key and pairs with every y that a later x pairs with, so the first
// accesses of x suffice, each with its lowest y.
RaceList::Pairs RaceList::first_pairs_and_last(Accesses x, Accesses y) const {
  Pairs pairs;
  const auto less = [&](const auto& a, const auto& b) { return is_before(a, b); };
  const auto truncate = [&] {
    const std::size_t count = std::min(max_first_pairs, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count),
                      pairs.end(), less);
    pairs.resize(count);
  };
  std::pair<EventId, EventId> last;
  for (const Access& a : x.first(std::min(max_first_pairs, x.size()))) {
    for (const Access& b : y) {
      if (b.position < a.position) continue;
      pairs.emplace_back(a.event, b.event);
      if (pairs.size() >= 64) truncate();
    }
  }
  truncate();
  for (const Access& b : y) {
    const auto later = std::partition_point(
        x.begin(), x.end(), [&](const Access& a) { return a.position < b.position; });
    if (later == x.begin()) continue;
    const std::pair pair(std::prev(later)->event, b.event);
    if (!last.first || is_before(last, pair)) last = pair;
  }
  if (std::find(pairs.begin(), pairs.end(), last) == pairs.end()) pairs.push_back(last);
  return pairs;
}

// Stores the first pairs by canonical key and the last, which do not depend on the recorded
// schedule.
void RaceList::insert_pair(Race& race, EventId x, EventId y) const {
  std::pair pair(x, y);
  if (const std::pair first(race.x, race.y); is_before(pair, first)) {
    race.x = x;
    race.y = y;
    pair = first;
  }
  const auto place =
      std::upper_bound(race.others.begin(), race.others.end(), pair,
                       [&](const auto& a, const auto& b) { return is_before(a, b); });
  race.others.insert(place, pair);
  if (race.others.size() > max_first_pairs) race.others.erase(race.others.end() - 2);
}

void RaceList::merge_race(Race& race, const Race& more) const {
  race.pairs += more.pairs;
  insert_pair(race, more.x, more.y);
  for (const auto& [x, y] : more.others) insert_pair(race, x, y);
  std::vector<std::int32_t> devices;
  std::set_union(race.devices.begin(), race.devices.end(), more.devices.begin(), more.devices.end(),
                 std::back_inserter(devices));
  race.devices = std::move(devices);
}

void RaceList::merge(const RaceList& other) {
  for (const auto& [topic, found] : other.found_) {
    Found& known = found_[topic];
    known.pairs += found.pairs;
    for (const auto& [key, race] : found.races) {
      const auto [entry, is_new] = known.races.try_emplace(key, race);
      if (!is_new) merge_race(entry->second, race);
    }
    while (known.races.size() > max_races_) known.races.erase(std::prev(known.races.end()));
  }
  for (std::size_t i = 0; i < std::size(in_race_); ++i)
    for (const StmtId s : in_race_[i].ids())
      if (other.in_race_[i][s]) in_race_[i][s] = true;
  for (const StmtId s : has_skipped_.ids())
    if (other.has_skipped_[s]) has_skipped_[s] = true;
}

void RaceList::note_statements(Accesses x, Accesses y, bool is_leaving) {
  std::int32_t first = x.front().position, last = y.front().position;
  for (const Access& access : x) first = std::min(first, access.position);
  for (const Access& access : y) last = std::max(last, access.position);
  for (Table<StmtId, bool>& in_race : in_race_) {
    if (is_leaving && &in_race == &in_race_[0]) continue;
    for (const Access& access : x)
      if (access.statement && access.position < last) in_race[access.statement] = true;
    for (const Access& access : y)
      if (access.statement && access.position > first) in_race[access.statement] = true;
  }
}

RaceList::CanonicalKey RaceList::canonical_key(EventId x, EventId y) const {
  const auto key = [&](EventId e) {
    const RecordedEvent& event = record_.events[e];
    const RecordedAgent& agent = record_.agents[event.agent];
    return std::array<std::int64_t, 5>{agent.id.device, agent.id.core, agent.id.dma, event.step,
                                       e - agent.begin};
  };
  return {std::min(key(x), key(y)), std::max(key(x), key(y))};
}

std::vector<Race> RaceList::races() const {
  std::map<Key, Race> all;
  for (const auto& [topic, found] : found_) {
    for (const auto& [key, race] : found.races) {
      const auto [known, is_new] = all.try_emplace(key, race);
      if (is_new) continue;
      merge_race(known->second, race);
    }
  }
  std::vector<Race> races;
  for (const auto& [key, race] : all) {
    races.push_back(race);
    races.back().has_more = race.is_order && (has_skipped_[key.first] || has_skipped_[key.second]);
  }
  return races;
}

bool RaceList::is_full() const {
  std::size_t races = 0;
  for (const auto& [topic, found] : found_)
    if (!topic.is_order) races += found.races.size();
  return races >= max_races_;
}

MorePairs RaceList::more() const {
  MorePairs more;
  for (const auto& [topic, found] : found_) {
    std::int64_t& rest = topic.is_order ? more.sums : topic.is_leaving ? more.leaving : more.races;
    rest += found.pairs;
    for (const auto& [key, race] : found.races) rest -= race.pairs;
  }
  return more;
}

}  // namespace tessera
