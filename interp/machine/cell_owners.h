// Tracks which semaphore cells belong to the iterations of a parallel loop. Requires a run in which
// each iteration is complete before the next one begins.
// A cell belongs to the iterations of a loop if no other core counts on it, and if its count is 0
// at the begin and at the end of each iteration that uses it. Several loops may use the same cell.
// The analysis of parallel loops (analysis/certificate/points/points.h) and loop workers share this
// rule.
#pragma once
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/program/ids.h"
#include "interp/machine/core_index.h"

namespace tessera {

// A loop is identified by its statement; all executions of the loop count together.
class CellOwners {
 public:
  CellOwners() = default;
  // cells: number of cells of all cores together. Cores and cells are numbered from 0.
  CellOwners(std::int32_t cores, std::int64_t cells)
      : counts_(static_cast<std::size_t>(cells)),
        is_foreign_(static_cast<std::size_t>(cells)),
        open_(static_cast<std::size_t>(cores)) {}

  // Called when a core, or a copy that it started, changes or reads a cell. amount: change of the
  // count. is_own: the cell is at that core.
  void count(CoreIndex core, std::int64_t cell, bool is_own, std::int64_t amount);
  // Called when an iteration of the loop begins on the core. Ends the previous iteration.
  void begin_point(CoreIndex core, StmtId loop);
  // Called when the last iteration of the core's innermost open loop ends. Requires an open loop.
  void end_loop(CoreIndex core);

  // True if the cell does not belong to the iterations of the loop.
  bool is_shared(StmtId loop, std::int64_t cell) const {
    return is_foreign_[static_cast<std::size_t>(cell)] || shared_.contains({loop, cell});
  }
  // Loops with an iteration that used a cell shared with other agents: see is_shared().
  std::set<StmtId> sharing_loops() const;

 private:
  struct Open {
    StmtId loop;
    std::vector<std::int64_t> touched;  // cells that the current iteration used
  };
  using LoopCell = std::pair<StmtId, std::int64_t>;

  // Marks the cells that the iteration used as shared if their count is not 0.
  void end_point(Open& loop);

  std::vector<std::int64_t> counts_;          // by cell
  std::vector<bool> is_foreign_;              // by cell: another core counted on it
  Table<CoreIndex, std::vector<Open>> open_;  // by core, outermost first
  std::set<LoopCell> used_, shared_;
};

}  // namespace tessera
