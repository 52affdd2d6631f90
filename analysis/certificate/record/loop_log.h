// Loop indices of each core at each of its steps. Recorders store them so that reports can print
// the indices of any event. Unchanged indices are stored once, so the log is small compared to the
// events.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/record/ids.h"
#include "interp/machine/loop_indices.h"

namespace tessera {

class LoopLog {
 public:
  // Clears the log. program: must outlive the log. cores: on all devices.
  void begin(const Program& program, std::int32_t cores);
  // Stores the loop indices at an event of a core, in the order of its events. No effect outside of
  // loops. Must be called while the core is at the event, because it reads the core's registers.
  void note(RecordedAgentId core, const Event& event);
  // Returns the loop indices at a step of a core with this statement; empty outside of loops.
  LoopIndices at(RecordedAgentId core, std::int64_t step, StmtId statement) const;

 private:
  struct Entry {  // valid from this step of the core until the next entry
    std::int64_t step;
    std::size_t values;  // into values_
  };
  // Range in indices_: indices of the outer loops, outermost first, and of the loop.
  struct Registers {
    std::size_t from, to;
  };

  const Program* program_ = nullptr;
  std::size_t loops_ = 0;
  Table<RecordedAgentId, Table<LoopId, std::vector<Entry>>> lists_;  // by core and innermost loop
  std::vector<std::int64_t> values_;                                 // outermost loop first
  std::vector<ValueId> indices_;
  Table<LoopId, Registers> registers_;
};

}  // namespace tessera
