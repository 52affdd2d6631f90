// What each point of a parallel loop touches, compared with what the others do.
//   memory that others reach: no two points store one element, but for copies that add, and none
//     reads what another one stores
//   scratch of the core: each point may have its own copy, as it was when the loop began; so what a
//     point reads before it stores it is stored by no other point, and what several points store is
//     read by nobody after the loop
//   semaphores: whose a cell is, interp/machine/cell_owners.h says; points of a loop that share one
//     synchronise
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

class PointsObserver : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool observes_assertions() const override { return true; }
  bool sees_private() const override { return true; }
  void end(RunResult& result) override;
  const PointsVerdict& verdict() const { return verdict_; }

 private:
  enum class Access : std::uint8_t { read, store, add };
  // One access, or several like it, of a point.
  struct LoopAccess {
    Box box{};
    std::int32_t point = 0;  // number among those of the loop
    StmtId statement;
    Access access = Access::read;
  };
  // Of one buffer at one owner, in one loop that is open.
  struct Log {
    std::vector<LoopAccess> reads, stores;
    BoxCover stored;  // by the point at hand
  };
  struct LoopFacts;
  struct OpenLoop {
    StmtId statement;
    const LoopFacts* facts = nullptr;
    std::vector<std::int64_t> points;                    // the loop variable of each
    std::map<std::pair<CoreIndex, BufferId>, Log> logs;  // by owner and buffer
  };
  // Scratch that was stored in a loop that has ended. Two points: nobody knows what it holds.
  struct Left {
    Box box{};
    StmtId loop, statement;
    std::string first, second;  // points; no second: one alone stored it
  };
  struct CoreState {
    // A point's last copy moves when its core has come to the next step, in another point or behind
    // the loop: these borders wait for that step.
    std::vector<Event> borders;
    std::vector<OpenLoop> open;  // outermost first
    Table<BufferId, std::vector<Left>> left;
  };
  // What the loops of a pipeline leave: those of each that is not run for it is of the same pattern
  // (analysis/planning/memoised_pipelines.h) leave the same.
  struct OfPattern {
    std::vector<std::pair<std::size_t, std::int64_t>> points;  // into verdict_.loops, and how many
    std::vector<std::pair<BufferId, Left>> left;
  };
  struct LoopFacts {
    Table<BufferId, bool> stores;  // something in the loop stores it
    Table<BufferId, bool> own;     // allocated in the loop
    std::size_t verdict = 0;       // into verdict_.loops
  };

  void find_facts();
  void on_region(CoreState& core, CoreIndex core_index, const Event& event);
  const LoopFacts& facts(StmtId statement) const { return facts_.at(statement); }
  bool is_shared(BufferId buffer) const;
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
  std::map<StmtId, LoopFacts> facts_;  // by the statement of the loop
  std::optional<PointSharing> sharing_;
  Table<SemaphoreId, std::int64_t> first_cell_;  // among those of a core
  std::int64_t cells_ = 0;                       // of a core
  CellOwners owners_;
  Table<CoreIndex, CoreState> cores_;
  std::set<std::tuple<PlaceId, PlaceId, BufferId>> known_;  // races, by places and buffer
  std::map<std::int64_t, OfPattern> patterns_;              // by Event::token
  OfPattern* seen_ = nullptr;                               // of which the first pipeline runs
  PointsVerdict verdict_;
};

}  // namespace tessera
