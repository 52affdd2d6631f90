// The synchronisation of a record, played again without data: positions of agents, counts of
// semaphores. Agents can be held back while others move on, and everything since then undone.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/certificate/races/signal_table.h"
#include "interp/certificate/races/watch.h"
#include "interp/certificate/record/record.h"

namespace tessera {

class Net {
 public:
  // Events [from, to) of one agent, done in one go. Of a copy that is held: what it does then.
  struct Stretch {
    std::int32_t agent, from, to;
    enum class Partial : std::uint8_t { none, reads, writes } partial = Partial::none;
  };

  Net(const Record& record, const SignalTable& signals);

  // The next event of its agent; not to be undone.
  void apply(std::int32_t event);

  // The agent does not pass this event until undo(). At most two are held. Of a copy of
  // partial landing one granule is held; the others go on to its end.
  void hold(std::int32_t agent, std::int32_t event);
  // Moves a core until it stands at `end` or cannot go on whoever else moves, and others only as
  // far as that needs. Copies run as soon as they are started.
  void advance(std::int32_t core, std::int32_t end);
  // The copies of a core that are in flight run.
  void run_copies_of(std::int32_t core);
  // Everybody moves until nobody can.
  void advance_all();
  // After advance_all(): the core is held at a later event instead, and again everybody moves.
  void hold_later(std::int32_t core, std::int32_t event);
  // Back to where hold() was first called.
  void undo();

  std::int32_t position(std::int32_t agent) const { return position_[at(agent)]; }
  std::int64_t count(std::int32_t cell) const { return count_[at(cell)]; }
  bool is_started(std::int32_t agent) const { return is_started_[at(agent)] != 0; }
  bool has_copies_in_flight(std::int32_t core) const { return !in_flight_[at(core)].empty(); }
  std::int64_t events_done() const { return events_done_; }

  // Accesses that moves come across and that are asked for; null: nobody asks.
  void watch(const Watch* watch) {
    watch_ = watch;
    hits_.clear();
  }
  const std::vector<std::int32_t>& hits() const { return hits_; }

  // What moves is told here; null: nobody asks.
  void trace(std::vector<Stretch>* stretches) { stretches_ = stretches; }

 private:
  enum class What : std::uint8_t { position, count, started };
  // Of a copy: how far it got. The last two while it is held.
  enum Started : std::uint8_t { not_started, started, partial_reads, partial_writes };
  struct Change {
    What what;
    std::int32_t index;
    std::int64_t old;
  };
  struct Frame {
    std::int32_t core, end;
    std::int32_t cell;  // what the frame below waits for, and how much; -1: the first frame
    std::int64_t amount;
  };
  struct Held {
    std::int32_t agent = -1, event = -1;
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }
  const RecordedAgent& agent(std::int32_t a) const { return record_.agents[at(a)]; }
  std::int32_t end_of(std::int32_t a) const;
  void meet(std::int32_t e) {
    if (watch_ != nullptr && watch_->may_overlap(event(e).object)) hits_.push_back(e);
  }
  void add(std::int32_t cell, std::int64_t amount);
  void set_position(std::int32_t a, std::int32_t to);
  void start(std::int32_t copy);
  void set_started(std::int32_t copy, Started state);
  bool is_next_to_land(std::int32_t copy) const;
  void run_copy(std::int32_t copy);
  void run_partial(std::int32_t copy);
  bool run_core(std::int32_t core, std::int32_t end, std::int32_t cell, std::int64_t amount);
  void drain();
  bool push_signaller(std::int32_t cell, std::int64_t amount);

  const Record& record_;
  const SignalTable& signals_;
  std::vector<std::int32_t> position_;                // of each agent: its next event
  std::vector<std::int64_t> count_;                   // of each cell
  std::vector<std::uint8_t> is_started_;              // of each agent: Started
  std::vector<std::int32_t> after_;                   // of each copy: the one behind it in its lane
  std::vector<std::vector<std::int32_t>> in_flight_;  // by core, as apply() left them
  std::vector<std::int32_t> in_flight_at_;            // of each of them: where it stands there
  std::vector<Change> changes_;
  Held held_[2];
  std::vector<Frame> frames_;
  std::vector<std::uint8_t> is_on_stack_;  // of each core
  std::vector<std::int64_t> dead_;         // of each core: the epoch in which it was stuck
  std::vector<std::int64_t> flushed_;      // of each core: the fork in which its copies ran
  std::int64_t epoch_ = 1, fork_ = 1;
  bool is_draining_ = false;
  std::vector<std::int32_t> open_;                  // cores that may move
  std::vector<std::vector<std::int32_t>> waiters_;  // by cell: cores that wait for it
  const Watch* watch_ = nullptr;
  std::vector<std::int32_t> hits_;
  std::vector<Stretch>* stretches_ = nullptr;
  std::int64_t events_done_ = 0;
};

}  // namespace tessera
