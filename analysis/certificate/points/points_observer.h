// Compares the accesses of the iterations of a parallel loop.
//
//   - Shared memory: no two iterations store the same element, except by copies that add, and no
//     iteration reads an element that another one stores.
//   - Scratch of the core: each iteration may have its own copy, in the state before the loop. So
//     no other iteration stores an element that an iteration reads before storing it, and elements
//     that several iterations store are not read after the loop.
//   - Semaphores: iterations that share a cell (interp/machine/cell_owners.h) synchronise.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/certificate/points/points.h"
#include "interp/machine/cell_owners.h"
#include "interp/machine/point_sharing.h"
#include "interp/machine/topology.h"
#include "interp/memory/box_cover.h"
#include "interp/observe/observer.h"

namespace tessera {

// Requires an eager run with whole, unordered copies and without a slow device, so that the copies
// of an iteration complete before the next one begins.
class PointsObserver : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool observes_assertions() const override { return true; }
  bool sees_private() const override { return true; }
  void end(RunResult& result) override;
  // Verdict of the run; requires that it has ended. Without PointsVerdict::of_the_run and end.
  const PointsVerdict& verdict() const { return verdict_; }

 private:
  enum class Access : std::uint8_t { read, store, add };
  // One or several equal accesses of an iteration.
  struct LoopAccess {
    Box box{};
    std::int32_t point = 0;  // index in OpenLoop::points
    StmtId statement;
    Access access = Access::read;
  };
  // Accesses to one buffer at one owner, in one open loop.
  struct Log {
    std::vector<LoopAccess> reads, stores;
    BoxCover stored;  // by the current iteration
  };
  struct LoopFacts;
  struct OpenLoop {
    StmtId statement;
    const LoopFacts* facts = nullptr;
    std::vector<std::int64_t> points;                    // values of the loop variable
    std::map<std::pair<CoreIndex, BufferId>, Log> logs;  // by owner and buffer
  };
  // Scratch that was stored in a loop that has ended. If two iterations stored it, its value is
  // unknown.
  struct Left {
    Box box{};
    StmtId loop, statement;
    std::string first, second;  // iterations; second empty: only one stored it
  };
  struct CoreState {
    // The last copy of an iteration completes when its core reaches the next step, in another
    // iteration or after the loop. Until this step, the starts and ends of iterations wait here.
    std::vector<Event> borders;
    std::vector<OpenLoop> open;  // outermost first
    Table<BufferId, std::vector<Left>> left;
  };
  // Results of the loops of a pipeline. Pipelines that are not run, because they have the same
  // pattern (analysis/planning/memoised_pipelines.h), have the same results.
  struct OfPattern {
    // Index in verdict_.loops, number of iterations.
    std::vector<std::pair<std::size_t, std::int64_t>> points;
    std::vector<std::pair<BufferId, Left>> left;
  };
  struct LoopFacts {
    Table<BufferId, bool> stores;  // stored by an op in the loop
    Table<BufferId, bool> own;     // allocated in the loop
    std::size_t verdict = 0;       // index in verdict_.loops
  };

  void find_facts();
  void on_region(CoreState& core, CoreIndex core_index, const Event& event);
  const LoopFacts& facts(StmtId statement) const { return facts_.at(statement); }
  // True unless each iteration may have its own copy of the buffer.
  bool is_shared(BufferId buffer) const;
  // Handles the starts and ends of iterations that wait in `borders`.
  void pass_borders(CoreState& core, CoreIndex core_index);
  void point(CoreState& core, CoreIndex core_index, const Event& event);
  void end_loop(CoreState& core, CoreIndex core_index);
  void access(CoreState& core, CoreIndex core_index, const Event& event, Access access);
  void log(CoreState& core, OpenLoop& loop, CoreIndex owner, const Event& event, Access access);
  void look_at_left(CoreState& core, CoreIndex core_index, const Event& event, Access access);
  void count(CoreState& core, CoreIndex core_index, const Event& event, std::int64_t amount);
  void compare(CoreState& core, const OpenLoop& loop, CoreIndex owner, BufferId buffer,
               const Log& log, CoreIndex core_index);
  void leave_behind(CoreState& core, const OpenLoop& loop, BufferId buffer, const Log& log);
  void race(const CoreState& core, const OpenLoop& loop, CoreIndex owner, BufferId buffer,
            CoreIndex core_index, const LoopAccess& here, const LoopAccess& there);
  std::string place(const CoreState& core, const OpenLoop& loop, std::int32_t point) const;
  FindingPlace at(StmtId statement, CoreIndex core_index, std::string message) const;

  const Program* program_ = nullptr;
  Topology topology_{};
  std::map<StmtId, LoopFacts> facts_;  // by loop statement
  std::optional<PointSharing> sharing_;
  Table<SemaphoreId, std::int64_t> first_cell_;  // index among the cells of a core
  std::int64_t cells_ = 0;                       // per core
  CellOwners owners_;
  Table<CoreIndex, CoreState> cores_;
  std::set<std::tuple<PlaceId, PlaceId, BufferId>> known_;  // reported races, by places and buffer
  std::map<std::int64_t, OfPattern> patterns_;              // by Event::token
  OfPattern* seen_ = nullptr;  // pattern of the running pipeline, if it is the first one
  PointsVerdict verdict_;
};

}  // namespace tessera
