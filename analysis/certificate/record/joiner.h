// Makes the events of a run fewer before they are recorded, in a way that leaves what the analysis
// finds: for runs that are planned, whose verdict is asked for and no numbers of events.
//
//   memory that one core alone reaches is in no race: nothing is told of it
//   accesses of a core with no synchronisation between them are held back or reached together: of
//     one kind and one buffer they are one, of the rectangles that they reach
//   copies that a core starts by one statement with no synchronisation between them, all within the
//     core, of whole granules and counted on one cell, are one larger copy, whose granules land and
//     are counted in any order. Two that reach one element, one writing, are not one: they would be
//     no race then. What the core does between the first and the last start is then beside all of
//     them, which may be called a race that is none: who asks looks at the run as it is before he
//     believes it.
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
  using Sink = std::function<void(const Event& event)>;  // records it
  // Of an eager run. program and sink live longer. joins_copies: they count in parts.
  Joiner(const Program& program, const RunOptions& options, bool joins_copies, Sink sink);

  void take(const Event& event);
  void finish();  // after the last event

 private:
  // Accesses of a core to one buffer.
  struct Accesses {
    Event first;
    JoinedBoxes boxes;
  };
  // One copy, or several that are one.
  struct Gather {
    Event start, read, write, signal;  // of the first
    std::int64_t amount = 0;
    JoinedBoxes reads, writes;
    BoxIndex<char> written;
  };
  struct CoreState {
    std::vector<Accesses> accesses;  // since the core has synchronised, or the gather has begun
    std::optional<Gather> gather, current;  // current: a copy that is on its way
    std::vector<std::int64_t> numbers;      // of copies as they are recorded, by those of the run
    std::int64_t copies = 0;                // that are recorded
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
  Table<BufferId, bool> is_own_;  // one core alone reaches it
  Table<CoreIndex, CoreState> cores_;
};

}  // namespace tessera
