// Points of parallel loops side by side. Where a core comes to such a loop its point-cores begin,
// each with a copy of what belongs to points (interp/machine/point_sharing.h) as it is there; the
// core deals out the points, one at a time to whoever asks, and goes on when all of them have
// ended. So each point-core does some of the points, in some order, on scratch that the points it
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

class PointCores {
 public:
  PointCores(Machine& machine, SharedCells cells);

  // Where a buffer that is reached at a site is kept, where the life of a semaphore is, and where a
  // cell is counted: at a point-core itself, or at its core.
  SiteId home(SiteId site, BufferId buffer) const;
  SiteId life(SiteId site, SemaphoreId semaphore) const;
  SiteId count_at(const SemId& sem) const;

  void fork(Core& core);        // it stands before its first point
  void take(Core& point_core);  // the point that its core stands before
  void end_point(Core& point_core);
  bool is_done(const Core& core) const;  // nobody is at a point, and none is left
  void join(Core& core);

  // The core that deals for a point-core, or itself.
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
  Fork& fork_of(SiteId site) { return forks_[machine_.topology().base(site)]; }
  const Fork& fork_of(SiteId site) const { return forks_[machine_.topology().base(site)]; }
  const Scope& scope(StmtId loop);
  std::string point_text(const Core& point_core, StmtId loop) const;

  Machine& machine_;
  const Program& program_;
  SharedCells cells_;
  PointSharing sharing_;
  std::map<StmtId, Scope> scopes_;  // by loop
  Table<SiteId, Fork> forks_;       // by core
  // Of point-cores that have ended, while copies that they started may still reach it.
  std::vector<std::shared_ptr<Storage>> left_;
};

}  // namespace tessera
