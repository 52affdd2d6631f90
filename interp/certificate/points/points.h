// Whether the points of parallel loops are independent, decided from one run in which each point
// does all of its work by itself (Expansion::per_point).
//   memory that others reach: no two points store one element, but for copies that add, and none
//     reads what another one stores
//   scratch of the core: each point may have its own copy, as it was when the loop began; so what a
//     point reads before it stores it is stored by no other point, and what several points store is
//     read by nobody after the loop
//   semaphores: one is a point's own while its count is 0 where the point begins and ends, and only
//     the point and its copies touch it; points that signal others, or wait for them, are compared
//     by point_threads.h
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "interp/machine/point_sharing.h"
#include "interp/machine/sites.h"
#include "interp/memory/box_cover.h"
#include "interp/observe/observer.h"

namespace tessera {

// What holds of a parallel loop of the source, in all of its runs.
struct ParallelLoop {
  Loc loc{};
  std::string name;           // of its variable
  bool any_order = true;      // its points may come in any order
  bool any_split = true;      // and in any groups, each with a copy of the core's scratch
  std::string why_whole;      // why not in any groups; empty where they may, or no order is right
  bool synchronises = false;  // a point signals others, or waits for a count that others change
  bool is_compared = false;   // and its points were compared as agents
  std::int64_t points = 0;    // how many there were in all, where a run judged them
  bool by_structure = false;  // the form of the program shows it, without a run of single points
  // Nothing speaks against any order, but what its points meet elsewhere was not looked at.
  bool is_undecided() const { return synchronises && any_order && !is_compared; }
};

struct PointsVerdict {
  std::vector<ParallelLoop> loops;  // in the order of the program
  std::vector<Finding> findings;    // races of points
  std::int64_t more_races = 0;      // beside those that are listed
  std::vector<Finding> of_the_run;  // what the run of single points met
  bool in_parts = true;             // asked: copies may land in parts
  RunEnd end = RunEnd::program;     // what ended a run of single points before it was done
};

// Whether the program has a parallel loop or grid dimension.
bool has_points(const Program& program);
// Runs a program that is expanded point by point, without arithmetic unless control depends on it.
// What it writes into results means nothing.
Expected<PointsVerdict> judge_points(const Program& per_point, const std::vector<Binding>& bindings,
                                     const RunOptions& options, bool in_parts);

class PointsObserver : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  void end(RunResult& result) override;
  const PointsVerdict& verdict() const { return verdict_; }

 private:
  enum class Access : std::uint8_t { read, store, add };
  // One access, or several like it, of a point.
  struct Touch {
    Box box{};
    std::int32_t point = 0;  // number among those of the loop
    std::int32_t statement = -1;
    Access access = Access::read;
  };
  // Of one buffer at one home, in one loop that is open.
  struct Log {
    std::vector<Touch> reads, stores;
    BoxCover stored;  // by the point at hand
  };
  struct OpenLoop {
    std::int32_t statement = -1;
    std::vector<std::int64_t> points;                           // the loop variable of each
    std::map<std::pair<std::int32_t, std::int32_t>, Log> logs;  // by home and buffer
    std::vector<std::int64_t> touched;  // cells of the core that the point at hand counted on
  };
  // Scratch that was stored in a loop that has ended. Two points: nobody knows what it holds.
  struct Left {
    Box box{};
    std::int32_t loop = -1, statement = -1;
    std::string first, second;  // points; no second: one alone stored it
  };
  struct CoreState {
    // A point's last copy moves when its core has come to the next step, in another point or behind
    // the loop: these borders wait for that step.
    std::vector<Event> borders;
    std::vector<OpenLoop> open;                           // outermost first
    std::vector<std::int64_t> counts;                     // of its semaphores, by cell
    std::map<std::int64_t, std::set<std::size_t>> loops;  // by cell: whose points count on it
    std::set<std::int64_t> foreign;                       // cells that others count on
    std::vector<std::vector<Left>> left;                  // by buffer
  };
  struct LoopFacts {
    std::vector<bool> stores;  // by buffer: something in the loop stores it
    std::vector<bool> own;     // by buffer: allocated in the loop
    std::size_t verdict = 0;   // into verdict_.loops
  };

  void find_facts();
  const LoopFacts& facts(std::int32_t statement) const { return facts_.at(statement); }
  bool is_shared(std::int32_t buffer) const;
  void pass_borders(CoreState& core, std::int32_t site);
  void point(CoreState& core, const Event& event);
  void end_point(CoreState& core);
  void end_loop(CoreState& core, std::int32_t site);
  void access(CoreState& core, std::int32_t site, const Event& event, Access access);
  void log(CoreState& core, OpenLoop& loop, std::int32_t home, const Event& event, Access access);
  void look_at_left(CoreState& core, std::int32_t site, const Event& event, Access access);
  void count(CoreState& core, std::int32_t site, const Event& event, std::int64_t amount);
  void compare(CoreState& core, const OpenLoop& loop, std::int32_t home, std::int32_t buffer,
               const Log& log, std::int32_t site);
  void leave_behind(CoreState& core, const OpenLoop& loop, std::int32_t buffer, const Log& log);
  void race(const CoreState& core, const OpenLoop& loop, std::int32_t home, std::int32_t buffer,
            std::int32_t site, const Touch& here, const Touch& there);
  std::string place(const CoreState& core, const OpenLoop& loop, std::int32_t point) const;
  FindingPlace at(std::int32_t statement, std::int32_t site, std::string message) const;

  const Program* program_ = nullptr;
  Sites sites_{};
  std::map<std::int32_t, LoopFacts> facts_;  // by the statement of the loop
  std::optional<PointSharing> sharing_;
  std::vector<std::int64_t> cell_base_;  // by semaphore
  std::vector<CoreState> cores_;
  std::set<std::array<std::int32_t, 3>> known_;  // races, by places and buffer
  PointsVerdict verdict_;
};

}  // namespace tessera
