// What the points of a parallel loop have for themselves and what they share with others: the rule
// that the analysis of points (interp/certificate/points/points.h) and runs of points side by side
// (interp/machine/point_cores.h) have in common.
//   a buffer belongs to the points unless it is in hbm, an operand or a result, or copies from
//     elsewhere land in it; what a point allocates is its own
//   a cell of a semaphore belongs to the points of a loop when no other core counts on it, and its
//     count is 0 wherever a point of the loop that uses it begins and ends; another loop may share
//     it
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/program/program.h"
#include "interp/machine/sites.h"
#include "interp/observe/observer.h"

namespace tessera {

// What the text says.
struct PointSharing {
  explicit PointSharing(const Program& program);
  std::vector<bool> buffers;     // others reach it
  std::vector<bool> semaphores;  // all cores share it
  std::vector<bool> landed_in;   // by buffer: copies from elsewhere
  std::vector<bool> counted_on;  // by semaphore: such copies, or signals of others
};

// By statement: the parallel loops whose points are dealt out. They are the outermost ones; where
// there is nothing but scalars between such a loop and a parallel one inside, it is the inner one.
std::vector<bool> dealt_loops(const Program& program);

// What the statements of a loop name.
struct LoopObjects {
  LoopObjects(const Program& program, std::int32_t loop);
  std::vector<bool> buffers, semaphores;
  std::vector<bool> makes_buffer, makes_semaphore;  // allocated in the loop
};

// Whose cells are, followed through a run in which each point is complete before the next begins.
// Loops are named by their statements; all runs of one loop count together.
class CellOwners {
 public:
  // A core counts on a cell, itself or by a copy; is_own: the cell is at that core.
  void count(std::int32_t core, std::int64_t cell, bool is_own, std::int64_t amount);
  // A point of the core begins, the first of its loop or the next.
  void begin_point(std::int32_t core, std::int32_t loop);
  // The last point of the core's innermost open loop ends.
  void end_loop(std::int32_t core);
  // The points of the loop have no such cell of their own.
  bool is_shared(std::int32_t loop, std::int64_t cell) const {
    return foreign_.contains(cell) || shared_.contains({loop, cell});
  }

 private:
  struct Open {
    std::int32_t loop;
    std::set<std::int64_t> touched;  // by the point at hand
  };
  void end_point(Open& loop);

  std::map<std::int64_t, std::int64_t> counts_;
  std::map<std::int32_t, std::vector<Open>> open_;  // by core, outermost first
  std::set<std::int64_t> foreign_;                  // another core counts on it
  std::set<std::pair<std::int32_t, std::int64_t>> shared_;
};

// The cells that points share with others, found in such a run.
class SharedCells : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool contains(std::int32_t loop, std::int32_t site, std::int32_t semaphore,
                std::int64_t cell) const {
    // Where there was no run to find them in, none is.
    return !first_cell_.empty() && owners_.is_shared(loop, number(site, semaphore, cell));
  }

 private:
  std::int64_t number(std::int32_t site, std::int32_t semaphore, std::int64_t cell) const {
    return site * cells_ + first_cell_[static_cast<std::size_t>(semaphore)] + cell;
  }
  Sites sites_{};
  std::vector<bool> is_dealt_;  // by statement
  void pass_borders(std::int32_t core);

  // By core: points begin and loops end, but a point's last copies move until the core's next step.
  std::vector<std::vector<Event>> borders_;
  std::vector<std::int64_t> first_cell_;  // by semaphore, among those of a core
  std::int64_t cells_ = 0;                // of a core
  CellOwners owners_;
};

// Whether a run has to tell which cells are shared: where points name a semaphore that they do not
// allocate.
bool has_open_cells(const Program& program);

}  // namespace tessera
