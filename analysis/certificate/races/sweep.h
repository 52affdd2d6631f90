// Selects the accesses that may race, with one pass per core instead of one fork per access.
//
// A pass blocks a core and advances it event by event. All other agents are always advanced as far
// as possible, so the events that they reach while the core is before its access x are the events
// that can come before x. While a copy is blocked, the core that waits for its bytes (the copy's
// own core or its destination) cannot pass that wait. So if no conflicting access is reached while
// this core is blocked at the wait, none is reached while the copy is blocked. All other accesses
// are suspects, and freeze_one() decides them.
//
// The iterations of a parallel loop are thousands of agents. There the passes share their work:
// with all agents of a set blocked, one half of the set is released and the passes of the other
// half follow, then the reverse. So an event is executed once per level of this tree, not once per
// pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/certificate/races/conflicts.h"
#include "analysis/certificate/races/first_below.h"
#include "analysis/certificate/races/undo_table.h"

namespace tessera {

// True if the agents that count as cores include iterations of parallel loops
// (points/point_threads.h). Each of them has the id of its core.
bool has_iterations(const Record& record);

// Suspicion that an access may conflict with a later one. sum: only by unordered additions.
enum class Suspicion : std::uint8_t { none, sum, race };

class Sweep {
 public:
  // turns: position of each event in the run. All arguments must outlive this object.
  Sweep(const Record& record, const Conflicts& conflicts,
        const Table<EventId, std::int32_t>& turns);

  // Estimated cost of suspects(), in events.
  std::int64_t cost() const;
  // Returns by event whether it is an access that may race. Must be called only once. Throws
  // Interrupted if current_stop() is set.
  Table<EventId, Suspicion> suspects();
  // Number of events that suspects() processed.
  std::int64_t events_done() const { return events_done_; }

 private:
  enum class What : std::uint8_t { access, signal, wait, await };
  // Action of a core that affects other cores or depends on them. Actions of a copy belong to its
  // start.
  struct Item {
    What what;
    AccessKind access;
    EventObject object;  // range or cell
    std::int64_t value;  // run position of an access, otherwise the amount
  };
  struct Waiting {
    EventId event{};
    std::int32_t turn = -1;
  };
  // Run positions of the latest accesses.
  struct Latest {
    std::int32_t any = -1, change = -1, but_sum = -1;  // but_sum: all except additions
  };
  using LatestAccesses = UndoTable<RangeNodeId, Latest>;
  using Agents = IdRange<RecordedAgentId>;

  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  // The only agent that waits for the cell, or none.
  RecordedAgentId waiter(CellId cell) const {
    return waiters_.of(cell).size() == 1 ? waiters_.of(cell).front() : RecordedAgentId();
  }
  void find_waiters();
  void find_crossing();
  bool is_seen(RangeId range, RecordedAgentId core) const;
  template <typename Visit>
  void for_each_item(const RecordedAgent& agent, RecordedAgentId core, const Visit& visit) const;
  void find_waits();
  void assign_copies();
  EventId blocked_at(EventId x) const;

  void block_all(bool is_logged);
  void release(Agents agents);
  void sweep_each(Agents blocked);
  void sweep_while_free(Agents released, Agents blocked);
  void sweep(RecordedAgentId core);
  EventId end_of_checks(RecordedAgentId core) const;
  void check_held(EventId wait);
  void drain();
  void run(RecordedAgentId core);
  void signal(CellId cell, std::int64_t amount);
  void start(RecordedAgentId copy);
  void note(LatestAccesses& latest, EventId e) const;
  void note(LatestAccesses& latest, RangeId range, AccessKind kind, std::int32_t turn) const;
  bool is_far(EventId x) const;
  void check(EventId x, bool is_copy);
  template <typename IsBefore>
  bool is_reached(EventId x, bool is_copy, const IsBefore& is_before) const;

  const Record& record_;
  const Conflicts& conflicts_;
  const Table<EventId, std::int32_t>& turns_;
  const bool has_iterations_;
  Lists<CellId, RecordedAgentId> waiters_;
  Table<CellId, bool> crosses_;                      // other cores signal it
  std::size_t item_count_ = 0;                       // sum of item_counts_
  Table<RecordedAgentId, std::size_t> item_counts_;  // by core
  Table<RecordedAgentId, std::vector<Item>> items_;  // by core; set by suspects()
  Lists<CellId, Waiting> waits_;
  FirstBelow spares_;  // surplus of each wait, in the order of waits_
  // A wait and the access of a blocked copy; ascending.
  std::vector<std::pair<EventId, EventId>> held_;
  Table<EventId, Suspicion> suspects_;

  Table<RecordedAgentId, bool> is_blocked_;           // by core
  UndoTable<RecordedAgentId, std::size_t> position_;  // by core, in its items
  UndoTable<CellId, std::int64_t> count_;
  std::vector<RecordedAgentId> open_;  // cores that may advance
  std::int64_t events_done_ = 0;
  LatestAccesses others_, own_;  // accesses by other agents, and by the core
};

}  // namespace tessera
