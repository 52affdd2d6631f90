// The cells of semaphores that points of parallel loops share with others, found in a run in which
// each point is complete before the next begins.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"
#include "interp/machine/cell_owners.h"
#include "interp/machine/topology.h"
#include "interp/observe/observer.h"

namespace tessera {

class SharedCells : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool contains(StmtId loop, CoreIndex core_index, SemaphoreId semaphore, std::int64_t cell) const {
    // Where there was no run to find them in, none is.
    return !first_cell_.empty() && owners_.is_shared(loop, number(core_index, semaphore, cell));
  }

 private:
  std::int64_t number(CoreIndex core_index, SemaphoreId semaphore, std::int64_t cell) const {
    return core_index.index * cells_ + first_cell_[semaphore] + cell;
  }
  Topology topology_{};
  Table<StmtId, bool> is_dealt_;
  void pass_borders(CoreIndex core);

  // By core: points begin and loops end, but a point's last copies move until the core's next step.
  Table<CoreIndex, std::vector<Event>> borders_;
  Table<SemaphoreId, std::int64_t> first_cell_;  // among those of a core
  std::int64_t cells_ = 0;                       // of a core
  CellOwners owners_;
};

// Whether a run has to tell which cells are shared: where points name a semaphore that they do not
// allocate.
bool has_open_cells(const Program& program);

}  // namespace tessera
