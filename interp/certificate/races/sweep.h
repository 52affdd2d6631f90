// Which accesses may race, by one pass for each core instead of one fork for each access.
//
// A core that is held back is moved on step by step while everybody else is always as far as they
// can get: what they reach with the core before its access x is what can come before x. A copy that
// is held back lets its core, or the one it writes to, come no further than to the wait for its
// bytes; so who reaches nothing that clashes while that core is held back at that wait reaches
// nothing while the copy is. The others are suspects, and freeze_one() decides about them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "interp/certificate/races/conflicts.h"
#include "interp/certificate/races/first_below.h"

namespace tessera {

class Sweep {
 public:
  // turns: when the run did each event. All outlive this.
  Sweep(const Record& record, const Conflicts& conflicts,
        const Table<EventId, std::int32_t>& turns);

  // How many events it would take to find the suspects.
  std::int64_t cost() const;
  // Whether an event is an access that may race with a later one.
  Table<EventId, bool> suspects();

 private:
  enum class What : std::uint8_t { read, change, signal, wait, await };
  // What a core does to others or needs from them; copies do their part when they start.
  struct Item {
    What what;
    EventObject object;  // range or cell
    std::int64_t value;  // of an access its turn, else the amount
  };
  struct Waiting {
    EventId event{};
    std::int32_t turn = -1;
  };
  struct Latest {
    std::int32_t any = -1, change = -1;  // turns
  };

  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  RecordedAgentId owner(CellId cell) const { return record_.owner(cell); }
  void find_crossing();
  bool is_seen(RangeId range, RecordedAgentId core) const;
  template <typename Visit>
  void for_each_item(const RecordedAgent& agent, RecordedAgentId core, const Visit& visit) const;
  void find_waits();
  void assign_copies();
  EventId blocked_at(EventId x) const;

  void sweep(RecordedAgentId core);
  void drain();
  void run(RecordedAgentId core);
  void signal(CellId cell, std::int64_t amount);
  void start(RecordedAgentId copy);
  void note(Table<RangeNodeId, Latest>& latest, EventId e) const;
  void note(Table<RangeNodeId, Latest>& latest, RangeId range, bool is_change,
            std::int32_t turn) const;
  bool is_far(EventId x) const;
  bool is_reached(EventId x, bool is_copy) const;

  const Record& record_;
  const Conflicts& conflicts_;
  const Table<EventId, std::int32_t>& turns_;
  Table<CellId, bool> crosses_;                      // other cores signal it
  std::size_t item_count_ = 0;                       // in all
  Table<RecordedAgentId, std::size_t> item_counts_;  // by core
  Table<RecordedAgentId, std::vector<Item>> items_;  // by core, once suspects are asked for
  Lists<CellId, Waiting> waits_;
  FirstBelow spares_;                              // of all of them
  std::vector<std::pair<EventId, EventId>> held_;  // a wait, and an access of a copy
  Table<EventId, bool> suspects_;

  RecordedAgentId swept_{};
  Table<RecordedAgentId, std::size_t> position_;  // by core, in its items
  Table<CellId, std::int64_t> count_;
  Table<RecordedAgentId, CellId> waiting_;   // by core: the cell it waits for, or none
  std::vector<RecordedAgentId> open_;        // cores that can move
  Table<RangeNodeId, Latest> others_, own_;  // what was reached by others, and by the core
};

}  // namespace tessera
