// Where in its loops each core stood at each of its steps: what a recorder keeps so that a report
// can say the indices of any event. Kept as long as nothing changes, so it is short beside the
// events.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/machine/loop_indices.h"

namespace tessera {

class LoopLog {
 public:
  void begin(const Program& program, std::int32_t cores);
  // An event of a core; those of one step share what the first says.
  void note(std::int32_t core, const Event& event);
  // Of a core's step at this statement.
  LoopIndices at(std::int32_t core, std::int64_t step, std::int32_t statement) const;

 private:
  struct Entry {  // from this step of the core on, until the next entry
    std::int64_t step;
    std::size_t values;  // into values_
  };
  std::size_t list(std::int32_t core, std::int32_t loop) const {
    return static_cast<std::size_t>(core) * loops_ + static_cast<std::size_t>(loop);
  }

  const Program* program_ = nullptr;
  std::size_t loops_ = 0;
  std::vector<std::vector<Entry>> lists_;  // by core and innermost loop
  std::vector<std::int64_t> values_;       // outermost loop first
  // Of each loop the registers of its own and all outer indices, outermost first; `first_` has one
  // entry more.
  std::vector<ValueId> indices_;
  std::vector<std::size_t> first_;
};

}  // namespace tessera
