// Reduces the events of a run before they are recorded, without changing the result of the
// analysis. For planned runs, where only the verdict is needed and not the number of events.
//
//   - Memory that only one core accesses cannot race: its events are dropped.
//   - Accesses of a core without synchronisation between them are blocked and reached together.
//     Accesses of one kind to one buffer are joined into one access per joined rectangle.
//   - Copies within a core, started by one statement without synchronisation between them, are
//     joined into one larger copy. Its granules complete and are counted in any order. The copies
//     must have whole granules and count on the same cell. Copies that write the same element are
//     not joined, because their race would be lost.
//
// A joined copy is unordered with all accesses of the core between its first and last start, so a
// race with these accesses may be false. Confirm a race with the run without joined events.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "interp/machine/topology.h"
#include "interp/memory/box_index.h"
#include "interp/memory/joined_boxes.h"
#include "interp/observe/event.h"
#include "interp/run_options.h"

namespace tessera {

class Joiner {
 public:
  using Sink = std::function<void(const Event& event)>;  // records the event
  // program: must outlive this object. joins_copies: also join copies; requires an analysis with
  // partial copies. Copies are only joined in eager runs with whole, unordered copies and without a
  // slow device.
  Joiner(const Program& program, const RunOptions& options, bool joins_copies, Sink sink);

  // Passes an event to the sink, joins it with others or drops it. Joined events are passed before
  // the next synchronisation of their core. Expects all events of the run, in order.
  void take(const Event& event);
  // Passes the remaining joined events. Must be called after the last event.
  void finish();

 private:
  // Joined accesses of a core to one buffer.
  struct Accesses {
    Event first;
    JoinedBoxes boxes;
  };
  // One copy, or several joined copies.
  struct Gather {
    Event start, read, write, signal;  // for the first copy
    std::int64_t amount = 0;
    JoinedBoxes reads, writes;
    BoxIndex<char> written;
  };
  struct CoreState {
    std::vector<Accesses> accesses;  // since the last synchronisation or the start of the gather
    std::optional<Gather> gather, current;  // current: the copy in flight
    std::vector<std::int64_t> numbers;      // recorded copy numbers, by copy number of the run
    std::int64_t copies = 0;                // number of recorded copies
  };

  CoreState& core(const Event& event) { return cores_[topology_.of(event.agent.issuer())]; }
  void access(CoreState& core, const Event& event);
  bool may_join(const Event& start) const;
  void start(CoreState& core, const Event& event);
  void on_copy(CoreState& core, const Event& event);
  bool join(Gather& gather, Gather& copy) const;
  void flush(CoreState& core);
  void flush(Accesses& accesses);
  void flush(CoreState& core, Gather& gather);
  void pass(CoreState& core, Event event);
  void pass(Event like, const Box& box);

  const Program& program_;
  const Topology topology_;
  const bool joins_copies_;
  const std::int64_t granule_;  // bytes
  const Sink sink_;
  Table<BufferId, bool> is_own_;  // only one core accesses the buffer
  Table<CoreIndex, CoreState> cores_;
};

}  // namespace tessera
