// Points of parallel loops side by side. Where a core comes to such a loop its loop workers begin,
// each with a copy of what belongs to points (interp/machine/point_sharing.h) as it is there; the
// core deals out the points, one at a time to whoever asks, and goes on when all of them have
// ended. So each loop worker does some of the points, in some order, on scratch that the points it
// did before have left. After the loop what it stored in scratch is undefined.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interp/machine/machine.h"
#include "interp/machine/point_sharing.h"
#include "interp/machine/shared_cells.h"

namespace tessera {

class LoopWorkers {
 public:
  LoopWorkers(Machine& machine, SharedCells cells);

  // Where a buffer that is reached at a core is kept, where the lifetime of a semaphore is, and
  // where a cell is counted: at a loop worker itself, or at its core.
  CoreIndex owner(CoreIndex core_index, BufferId buffer) const;
  CoreIndex lifetime(CoreIndex core_index, SemaphoreId semaphore) const;
  CoreIndex count_at(const SemId& sem) const;

  void fork(Core& core);         // it stands before its first point
  void take(Core& loop_worker);  // the point that its core stands before
  void end_point(Core& loop_worker);
  bool is_done(const Core& core) const;  // nobody is at a point, and none is left
  void join(Core& core);

  // The core that deals for a loop worker, or itself.
  Core& base(const Core& core);
  void drop_aliases();

 private:
  // What belongs to the points of a loop.
  struct Scope {
    Table<BufferId, bool> copied, made;  // copies of the core's, and allocated by points
    Table<SemaphoreId, bool> semaphores, made_semaphores;
  };
  struct Fork {
    const Scope* scope = nullptr;
    StmtId loop;
    int points = 0;  // that are at work
  };
  Fork& fork_of(CoreIndex core_index) { return forks_[machine_.topology().base(core_index)]; }
  const Fork& fork_of(CoreIndex core_index) const {
    return forks_[machine_.topology().base(core_index)];
  }
  const Scope& scope(StmtId loop);
  std::string point_text(const Core& loop_worker, StmtId loop) const;

  Machine& machine_;
  const Program& program_;
  SharedCells cells_;
  PointSharing sharing_;
  std::map<StmtId, Scope> scopes_;  // by loop
  Table<CoreIndex, Fork> forks_;    // by core
  // Of loop workers that have ended, while copies that they started may still reach it.
  std::vector<std::shared_ptr<Storage>> left_;
};

}  // namespace tessera
