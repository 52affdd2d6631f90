// Whose the cells of semaphores are, followed through a run in which each point of a parallel loop
// is complete before the next begins: a cell belongs to the points of a loop when no other core
// counts on it, and its count is 0 wherever a point of the loop that uses it begins and ends;
// another loop may share it. The analysis of points and runs of points side by side have this rule
// in common.
#pragma once
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/program/ids.h"
#include "interp/machine/core_index.h"

namespace tessera {

// Loops are named by their statements; all runs of one loop count together.
class CellOwners {
 public:
  CellOwners() = default;
  // Cores and cells are numbered from 0, cells those of all cores together.
  CellOwners(std::int32_t cores, std::int64_t cells)
      : counts_(static_cast<std::size_t>(cells)),
        is_foreign_(static_cast<std::size_t>(cells)),
        open_(static_cast<std::size_t>(cores)) {}

  // A core counts on a cell, itself or by a copy; is_own: the cell is at that core.
  void count(CoreIndex core, std::int64_t cell, bool is_own, std::int64_t amount);
  // A point of the core begins, the first of its loop or the next.
  void begin_point(CoreIndex core, StmtId loop);
  // The last point of the core's innermost open loop ends.
  void end_loop(CoreIndex core);

  // The points of the loop have no such cell of their own.
  bool is_shared(StmtId loop, std::int64_t cell) const {
    return is_foreign_[static_cast<std::size_t>(cell)] || shared_.contains({loop, cell});
  }
  // The loops whose points count on a cell that they share.
  std::set<StmtId> sharing_loops() const;

 private:
  struct Open {
    StmtId loop;
    std::vector<std::int64_t> touched;  // by the point at hand
  };
  using LoopCell = std::pair<StmtId, std::int64_t>;

  void end_point(Open& loop);

  std::vector<std::int64_t> counts_;          // by cell
  std::vector<bool> is_foreign_;              // by cell: another core counts on it
  Table<CoreIndex, std::vector<Open>> open_;  // by core, outermost first
  std::set<LoopCell> used_, shared_;
};

}  // namespace tessera
