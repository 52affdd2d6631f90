// Pairs of accesses in no order, collected into one Race for each pair of statements and kinds.
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

// Pairs of accesses that are in no order: those of two statements to one buffer.
struct Race {
  EventId x{}, y{};  // one of the pairs, x first in the run
  std::int64_t pairs = 0;
  bool is_order = false;  // both accumulate: no race, but the sum's order is open
  bool has_more = false;  // only with is_order: there may be more pairs than `pairs`
  // A few more of the pairs, for a run that shows what the first does not.
  std::vector<std::pair<EventId, EventId>> others{};
  std::vector<std::int32_t> devices{};  // whose cores, or copies, are in a pair; ascending
};

// Pairs of accesses of other statements than those that are listed.
struct MorePairs {
  std::int64_t races = 0, leaving = 0, sums = 0;  // leaving: with the end of the kernel
};

// The races of a record: of each object, the first in the order of the program text, and no more
// than so many; of the others the number is known. The same whatever schedule was recorded.
class RaceList {
 public:
  // turns: when the run did each event. All outlive this.
  RaceList(const Record& record, const Conflicts& conflicts,
           const Table<EventId, std::int32_t>& turns, std::size_t most)
      : record_(record), conflicts_(conflicts), turns_(turns), most_(most) {
    for (Table<StmtId, bool>& in_race : in_race_) in_race.resize(record.program->body.size());
    is_left_out_.resize(record.program->body.size());
  }

  // Each x with each y that came after it in the run, overlaps it and clashes with it; integers
  // that are added are the same sum in every order. All x are of one agent, which is that of no y.
  void add(std::span<const EventId> x, std::span<const EventId> y);

  // True if enough pairs with the statement and range of this addition are known. The caller then
  // skips the addition, because the number of all pairs is quadratic, and Race::pairs is a lower
  // bound.
  bool leaves_out(EventId addition);

  // What another list of the same record found, of other accesses x.
  void add(const RaceList& other);
  // Whether as many races are listed as asked for, of whatever objects.
  bool is_full() const;
  // In the order of the program text.
  std::vector<Race> races() const;
  MorePairs more() const;
  // By statement: whether it is in a race that is no order; with those with leaving the kernel, or
  // without them.
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
  // What is limited by itself.
  struct Topic {
    std::int32_t object;
    bool is_order, is_leaving;
    auto operator<=>(const Topic&) const = default;
  };
  struct Found {
    std::map<Key, Race> races;
    std::int64_t pairs = 0;
  };
  // Accesses of one kind to one range.
  struct Access {
    RangeId range;
    AccessKind kind;
    StmtId statement;
    std::int32_t turn;
    EventId event;
    auto operator<=>(const Access&) const = default;
  };
  using Accesses = std::span<const Access>;
  using Pairs = std::vector<std::pair<EventId, EventId>>;
  using Names = std::array<std::array<std::int64_t, 5>, 2>;

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  void sort(std::span<const EventId> events, std::vector<Access>& sorted) const;
  void add(Accesses x, Accesses y);
  void add(Found& found, const Key& key, Accesses x, Accesses y, bool is_order);
  bool is_sum_of_integers(const Access& access) const;
  void count_sums(Accesses x, Accesses y);
  Pairs kept_of(Accesses x, Accesses y) const;
  void keep(Race& race, EventId x, EventId y) const;
  void keep_all(Race& race, const Race& more) const;
  void note_device(Race& race, const Access& access) const;
  bool is_wanted(const Found& found, StmtId first, StmtId second) const;
  void note_statements(Accesses x, Accesses y, bool is_leaving);
  Topic topic(const Access& x, const Access& y) const;
  Names names(EventId x, EventId y) const;

  const Record& record_;
  const Conflicts& conflicts_;
  const Table<EventId, std::int32_t>& turns_;
  const std::size_t most_;
  std::map<Topic, Found> found_;
  Table<StmtId, bool> in_race_[2];  // [1]: with leaving
  // Numbers of pairs of additions, by statement and range of x.
  std::map<std::pair<StmtId, RangeId>, std::int64_t> sums_;
  Table<StmtId, bool> is_left_out_;    // leaves_out() was true for an addition of the statement
  std::vector<Access> ours_, others_;  // of add(), which is called for each fork
};

}  // namespace tessera
