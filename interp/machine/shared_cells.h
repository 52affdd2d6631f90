// Semaphore cells that iterations of parallel loops share with others. They are found in a run in
// which each iteration is complete before the next one begins.
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
  // True if the cell at that core does not belong to the iterations of the loop. Call it after the
  // run.
  bool contains(StmtId loop, CoreIndex core_index, SemaphoreId semaphore, std::int64_t cell) const {
    // Without a run, no cell is shared.
    return !first_cell_.empty() && owners_.is_shared(loop, number(core_index, semaphore, cell));
  }

 private:
  std::int64_t number(CoreIndex core_index, SemaphoreId semaphore, std::int64_t cell) const {
    return core_index.index * cells_ + first_cell_[semaphore] + cell;
  }
  Topology topology_{};
  Table<StmtId, bool> is_dealt_;
  void pass_borders(CoreIndex core);  // applies and clears borders_ of the core

  // By core: iteration begins and loop ends that are not applied yet. They are applied at the
  // core's next step, because the last copies of an iteration move until then.
  Table<CoreIndex, std::vector<Event>> borders_;
  Table<SemaphoreId, std::int64_t> first_cell_;  // among the cells of a core
  std::int64_t cells_ = 0;                       // per core
  CellOwners owners_;
};

// True if a run is needed to find shared cells: a parallel loop names a semaphore that it does not
// allocate and that is not a barrier.
bool has_open_cells(const Program& program);

}  // namespace tessera
