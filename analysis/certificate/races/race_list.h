// Unordered pairs of accesses, collected into one Race per pair of statements and access kinds.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/certificate/races/conflicts.h"

namespace tessera {

// The unordered pairs of accesses of two statements to one buffer or semaphore.
struct Race {
  EventId x{}, y{};  // the first pair by canonical key; x was first in the run
  std::int64_t pairs = 0;
  bool is_order = false;  // both accumulate: no race, but the order of the sum is open
  bool has_more = false;  // only with is_order: `pairs` is a lower bound
  // A few more of the pairs, for a run that shows effects that the first pair does not have.
  std::vector<std::pair<EventId, EventId>> others{};
  std::vector<std::int32_t> devices{};  // with a core or copy in a pair; ascending
};

// Numbers of pairs of accesses that are in no listed race.
struct MorePairs {
  std::int64_t races = 0, leaving = 0, sums = 0;  // leaving: with the end of the kernel
};

// The races of a record: for each object the first ones in the order of the program text, at most
// max_races, and the number of the others. Independent of the recorded schedule.
class RaceList {
 public:
  // run_position: by event. max_races: per object, separately for races, races with the end of the
  // kernel, and unordered sums. record, conflicts, run_position: must outlive this object.
  RaceList(const Record& record, const Conflicts& conflicts,
           const Table<EventId, std::int32_t>& run_position, std::size_t max_races)
      : record_(record), conflicts_(conflicts), run_position_(run_position), max_races_(max_races) {
    for (Table<StmtId, bool>& in_race : in_race_) in_race.resize(record.program->body.size());
    has_skipped_.resize(record.program->body.size());
  }

  // Adds each pair of an x and a y that follows it in the run, overlaps it and conflicts with it.
  // Two additions of integers are not added: their sum is the same in every order.
  // x: all of one agent, which has no y.
  void add_pairs(std::span<const EventId> x, std::span<const EventId> y);

  // True if enough pairs with the statement and range of this addition are known. The caller then
  // skips the addition, because the number of all pairs is quadratic, and Race::pairs is a lower
  // bound.
  bool skips(EventId addition);

  // Adds the pairs of another list of the same record. The two lists must have received different
  // accesses x in add_pairs(), so that no pair is counted twice.
  void merge(const RaceList& other);
  // True if max_races races are listed, of all objects together; unordered sums do not count.
  bool is_full() const;
  // In the order of the program text.
  std::vector<Race> races() const;
  MorePairs more() const;
  // By statement: true if it is in a race other than an open order.
  // with_leaving: races with the end of the kernel count as well.
  const Table<StmtId, bool>& in_race(bool with_leaving) const {
    return in_race_[with_leaving ? 1 : 0];
  }

 private:
  struct Key {
    StmtId first, second;
    std::int32_t object;  // buffer, or -1 - semaphore
    AccessKind first_kind, second_kind;
    auto operator<=>(const Key&) const = default;
  };
  // A group of races with a limit of its own.
  struct Topic {
    std::int32_t object;
    bool is_order, is_leaving;
    auto operator<=>(const Topic&) const = default;
  };
  struct Found {
    std::map<Key, Race> races;
    std::int64_t pairs = 0;
  };
  struct Access {
    RangeId range;
    AccessKind kind;
    StmtId statement;
    std::int32_t position;  // in the run
    EventId event;
    auto operator<=>(const Access&) const = default;
  };
  using Accesses = std::span<const Access>;  // one kind, one range
  using Pairs = std::vector<std::pair<EventId, EventId>>;
  // Orders pairs independently of the recorded schedule.
  using CanonicalKey = std::array<std::array<std::int64_t, 5>, 2>;

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  void sort(std::span<const EventId> events, std::vector<Access>& sorted) const;
  void add_groups(Accesses x, Accesses y);
  void add_race(Found& found, const Key& key, Accesses x, Accesses y, bool is_order);
  bool is_sum_of_integers(const Access& access) const;
  void count_sums(Accesses x, Accesses y);
  Pairs first_pairs_and_last(Accesses x, Accesses y) const;
  void insert_pair(Race& race, EventId x, EventId y) const;
  void merge_race(Race& race, const Race& more) const;
  void note_device(Race& race, const Access& access) const;
  bool is_within_limit(const Found& found, StmtId first, StmtId second) const;
  void note_statements(Accesses x, Accesses y, bool is_leaving);
  Topic topic(const Access& x, const Access& y) const;
  CanonicalKey canonical_key(EventId x, EventId y) const;
  bool is_before(const std::pair<EventId, EventId>& a, const std::pair<EventId, EventId>& b) const {
    return canonical_key(a.first, a.second) < canonical_key(b.first, b.second);
  }

  const Record& record_;
  const Conflicts& conflicts_;
  const Table<EventId, std::int32_t>& run_position_;
  const std::size_t max_races_;
  std::map<Topic, Found> found_;
  Table<StmtId, bool> in_race_[2];  // [1]: with leaving
  // Numbers of pairs of additions, by statement and range of x.
  std::map<std::pair<StmtId, RangeId>, std::int64_t> sums_;
  Table<StmtId, bool> has_skipped_;    // skips() was true for an addition of the statement
  std::vector<Access> ours_, others_;  // buffers of add_pairs()
};

}  // namespace tessera
