// Loops and grid dimensions of the source with at most one iteration each time they are entered.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/coverage/branches.h"
#include "analysis/coverage/coverage_note.h"
#include "interp/machine/topology.h"
#include "interp/observe/event.h"

namespace tessera {

class Iterations {
 public:
  void begin(const Program& program, const Topology& topology);
  // Requires Event::registers.
  void on(const Event& event) {
    LoopId& at = open_from_[program_->body[event.statement].loop];
    while (at && !is_open_[at]) at = open_from_[program_->loops[at].outer];
    if (at) note(at, event);
  }
  void add_notes(const Program& program, const SourceOps& source, const Branches& branches,
                 CoverageNotes& notes) const;

 private:
  void note(LoopId innermost, const Event& event);

  const Program* program_ = nullptr;
  Topology topology_;
  struct Bounds {
    ValueId lower = no_value, upper = no_value;
  };
  Table<LoopId, std::uint8_t> is_open_;  // no second iteration was seen
  Table<LoopId, std::uint8_t> is_seen_;  // an iteration was seen
  Table<LoopId, Bounds> bounds_;         // values of a `for`; none: not defined by one
  // By loop: the innermost open loop among it and those around it. Extra entry for no loop.
  struct OpenFrom {
    std::vector<LoopId> of;
    LoopId& operator[](LoopId loop) { return of[static_cast<std::size_t>(loop.index + 1)]; }
  };
  OpenFrom open_from_;
  // By loop and core: the indices of the last iteration, innermost loop first; empty: none yet.
  Table<LoopId, Table<CoreIndex, std::vector<std::int64_t>>> last_;
};

}  // namespace tessera
