// Replays the synchronisation of a record without data: positions of agents and counts of
// semaphores. Agents can be blocked while others advance, and everything since then can be undone.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/certificate/races/signal_table.h"
#include "analysis/certificate/races/watch.h"
#include "analysis/certificate/record/record.h"

namespace tessera {

class ProtocolReplay {
 public:
  // Events [from, to) of one agent without interruption. partial: for a blocked partial copy, all
  // its reads or writes except one granule.
  struct EventRange {
    RecordedAgentId agent;
    EventId from, to;
    enum class Partial : std::uint8_t { none, reads, writes } partial = Partial::none;
  };

  // Starts before the first event of each agent. Both must outlive this object; signals: table of
  // the record.
  ProtocolReplay(const Record& record, const SignalTable& signals);

  // Applies an event, which must be the next one of its agent, else a CHECK fails; cannot be
  // undone. The counts of its waits are not checked.
  void apply(EventId event);

  // Blocks the agent before this event, which it must not have passed, until undo(). At most two
  // agents can be blocked; for a third one a CHECK fails. If the agent is a partial copy, only one
  // granule is blocked; the other granules complete.
  void hold(RecordedAgentId agent, EventId event);
  // Advances a core to `end`, or until it is blocked for good, and others only as far as it needs
  // them. Copies run as soon as they are started.
  void advance(RecordedAgentId core, EventId end);
  // Completes the copies of a core that are in flight since apply(), as far as they are not
  // blocked.
  void run_copies_of(RecordedAgentId core);
  // Advances all agents until all are blocked or done.
  void advance_all();
  // After advance_all(): blocks a core of hold() at a later event instead, and advances all agents
  // again.
  void hold_later(RecordedAgentId core, EventId event);
  // Undoes all advances since the last undo(), and releases the blocked agents.
  void undo();

  // Next event of an agent; its end if it is done.
  EventId position(RecordedAgentId agent) const { return position_[agent]; }
  std::int64_t count(CellId cell) const { return count_[cell]; }
  bool is_started(RecordedAgentId agent) const { return is_started_[agent] != not_started; }
  bool has_copies_in_flight(RecordedAgentId core) const { return !in_flight_[core].empty(); }
  std::int64_t events_done() const { return events_done_; }  // by agents that advanced

  // From now on, collects accesses of advancing agents that may overlap `watch` in hits(); null:
  // none. Clears hits(). `watch` must stay valid until the next call.
  void watch(const Watch* watch) {
    watch_ = watch;
    hits_.clear();
  }
  const std::vector<EventId>& hits() const { return hits_; }

  // Output: the events of advancing agents are appended; null: none. Must stay valid until the next
  // call.
  void trace(std::vector<EventRange>* stretches) { stretches_ = stretches; }

 private:
  // Progress of a copy. partial_reads and partial_writes: blocked, with one granule missing.
  enum Started : std::uint8_t { not_started, started, partial_reads, partial_writes };
  // Undo log of a table.
  template <typename Key, typename T>
  class Changes {
   public:
    void note(Key id, T old) { changes_.emplace_back(id, old); }
    void undo(Table<Key, T>& table) {
      for (; !changes_.empty(); changes_.pop_back())
        table[changes_.back().first] = changes_.back().second;
    }

   private:
    std::vector<std::pair<Key, T>> changes_;
  };
  struct Frame {
    RecordedAgentId core;
    EventId end;
    CellId cell;  // cell and amount for which the frame below waits; none: first frame
    std::int64_t amount;
  };
  struct Held {
    RecordedAgentId agent{};
    EventId event{};
  };

  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  const RecordedAgent& agent(RecordedAgentId a) const { return record_.agents[a]; }
  // End of an agent, or the event before which it is blocked.
  EventId end_of(RecordedAgentId a) const;
  // Adds an access to hits() if it is watched.
  void meet(EventId e) {
    if (watch_ != nullptr && watch_->may_overlap(event(e).range())) hits_.push_back(e);
  }
  void add(CellId cell, std::int64_t amount);
  void set_position(RecordedAgentId a, EventId to);
  void start(RecordedAgentId copy);
  void set_started(RecordedAgentId copy, Started state);
  bool is_next_to_land(RecordedAgentId copy) const;
  void run_copy(RecordedAgentId copy);
  void run_partial(RecordedAgentId copy);
  bool run_core(RecordedAgentId core, EventId end, CellId cell, std::int64_t amount);
  void drain();
  bool push_signaller(CellId cell, std::int64_t amount);

  const Record& record_;
  const SignalTable& signals_;
  Table<RecordedAgentId, EventId> position_;  // next event, by agent
  Table<CellId, std::int64_t> count_;
  Table<RecordedAgentId, Started> is_started_;
  Table<RecordedAgentId, RecordedAgentId> after_;  // next copy on the same link, by copy
  Table<RecordedAgentId, std::vector<RecordedAgentId>> in_flight_;  // by core, as of apply()
  Table<RecordedAgentId, std::size_t> in_flight_at_;                // index in in_flight_, by copy
  Changes<RecordedAgentId, EventId> old_positions_;
  Changes<CellId, std::int64_t> old_counts_;
  Changes<RecordedAgentId, Started> old_started_;
  Held held_[2];
  std::vector<Frame> frames_;
  Table<RecordedAgentId, std::uint8_t> is_on_stack_;  // by core
  Table<RecordedAgentId, std::int64_t> dead_;     // epoch in which the core was blocked for good
  Table<RecordedAgentId, std::int64_t> flushed_;  // fork in which the core's copies ran
  std::int64_t epoch_ = 1, fork_ = 1;
  bool is_draining_ = false;
  std::vector<RecordedAgentId> open_;                    // cores that may advance
  Table<CellId, std::vector<RecordedAgentId>> waiters_;  // waiting cores, by cell
  const Watch* watch_ = nullptr;
  std::vector<EventId> hits_;
  std::vector<EventRange>* stretches_ = nullptr;
  std::int64_t events_done_ = 0;
};

}  // namespace tessera
