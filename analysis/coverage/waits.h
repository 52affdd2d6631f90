// Waits on counts that did not have to wait, and waits in loops that take only signals from before
// the loops.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/coverage/coverage_note.h"
#include "interp/machine/topology.h"
#include "interp/observe/event.h"

namespace tessera {

class Waits {
 public:
  void begin(const Program& program, const Topology& topology);
  void on(const Event& event) {
    if (event.agent.is_copy()) return;
    if (event.object_kind == ObjectKind::semaphore && open_of_[event.object.semaphore()] > 0)
      note(event);
    last_step_[topology_.of(event.agent)] = event.step;
  }
  void add_notes(const Program& program, CoverageNotes& notes) const;

 private:
  struct Cell {
    std::int64_t count = 0;
    std::int64_t taken = 0;         // by waits
    std::int64_t outside = 0;       // signalled by statements outside of loops
    std::int64_t last_signal = -1;  // step of the run
    CoreIndex last_signaller{};
    StmtId later{};  // a signal in a loop, if one was executed
  };
  // Properties that the run has shown for one wait statement.
  struct Open {
    bool is_wait = false;
    bool blocked_or_surplus = false;  // it blocked, or there was more than it took
    bool from_loop = false;           // it took a signal from inside a loop
    StmtId later{};                   // in a loop: a signal in a loop that it could take; else none
    bool is_done = false;             // it has shown all
    bool is_executed = false, is_of_other = false;  // met by a signal of another core
  };
  void note(const Event& event);
  Cell& cell(const Event& event);

  const Program* program_ = nullptr;
  Topology topology_;
  Table<StmtId, Open> open_;
  Table<SemaphoreId, std::int32_t> open_of_;      // number of waits
  Table<SemaphoreId, StmtId> signalled_in_loop_;  // a signal in a loop, if there is one
  std::map<std::tuple<SemaphoreId, std::int32_t, std::int64_t>, Cell> cells_;
  Table<StmtId, std::uint8_t> is_in_loop_;
  Table<CoreIndex, std::int64_t> last_step_;
};

}  // namespace tessera
