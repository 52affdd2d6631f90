// Where in its loops each core stood at each of its steps: what a recorder keeps so that a report
// can say the indices of any event. Kept as long as nothing changes, so it is short beside the
// events.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/record/ids.h"
#include "interp/machine/loop_indices.h"

namespace tessera {

class LoopLog {
 public:
  void begin(const Program& program, std::int32_t cores);
  // An event of a core; those of one step share what the first says.
  void note(RecordedAgentId core, const Event& event);
  // Of a core's step at this statement.
  LoopIndices at(RecordedAgentId core, std::int64_t step, StmtId statement) const;

 private:
  struct Entry {  // from this step of the core on, until the next entry
    std::int64_t step;
    std::size_t values;  // into values_
  };
  struct Registers {  // of a loop's own and all outer indices, outermost first: of indices_
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
