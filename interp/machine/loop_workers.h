// Concurrent execution of parallel loops. When a core reaches such a loop, its loop workers start,
// each with a copy of the objects that belong to iterations (interp/machine/point_sharing.h). The
// core offers one iteration at a time to the next free loop worker, and continues after all of them
// have ended.
// Each loop worker thus runs some of the iterations, in some order, on scratch that contains data
// of its earlier iterations. After the loop, the elements of scratch that they stored are
// undefined.
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
  LoopWorkers(Machine& machine, SharedCells cells);  // machine: must outlive this object

  // Return the owner of a buffer, of the lifetime of a semaphore, and of a count, for accesses by a
  // loop worker: the loop worker itself if the object belongs to iterations, otherwise its core.
  // Require a loop that fork() has started.
  CoreIndex owner(CoreIndex core_index, BufferId buffer) const;
  CoreIndex lifetime(CoreIndex core_index, SemaphoreId semaphore) const;
  CoreIndex count_at(const SemId& sem) const;

  void fork(Core& core);         // starts its loop workers; the core is before its first iteration
  void take(Core& loop_worker);  // takes the next iteration of its core, which must have one
  // Ends the iteration of a loop worker. Reports leftover counts of its semaphores; stops the run
  // if a copy will still signal one.
  void end_point(Core& loop_worker);
  bool is_done(const Core& core) const;  // no iteration runs or is left
  // Ends the loop of a core. The elements of its scratch that loop workers stored become undefined.
  // Requires is_done().
  void join(Core& core);

  // The core of a loop worker, or the core itself.
  Core& base(const Core& core);
  void drop_aliases();  // of storages that ended loops left for copies in flight

 private:
  // Objects that belong to the iterations of a loop.
  struct Scope {
    Table<BufferId, bool> copied, made;  // copied from the core; allocated in the loop
    Table<SemaphoreId, bool> semaphores, made_semaphores;
  };
  struct Fork {
    const Scope* scope = nullptr;
    StmtId loop;
    int points = 0;  // number of running iterations
  };
  Fork& fork_of(CoreIndex core_index) { return forks_[machine_.topology().base(core_index)]; }
  const Fork& fork_of(CoreIndex core_index) const {
    return forks_[machine_.topology().base(core_index)];
  }
  const Scope& scope(StmtId loop);  // computed by the first call for a loop
  std::string point_text(const Core& loop_worker, StmtId loop) const;

  Machine& machine_;
  const Program& program_;
  SharedCells cells_;
  PointSharing sharing_;
  std::map<StmtId, Scope> scopes_;  // by loop
  Table<CoreIndex, Fork> forks_;    // by core
  // Storages of loop workers that have ended; copies in flight may still access them.
  std::vector<std::shared_ptr<Storage>> left_;
};

}  // namespace tessera
