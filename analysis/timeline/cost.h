// Where a run's modelled time goes: by line of the source, by trace region, and along its critical
// path: the chain of work, transfers and latencies, each of which waited for the one before, that
// ends last.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/timeline/timeline.h"

namespace tessera {

// Seconds that follow from one line of the source, on the core that waits least.
struct LineCost {
  Loc loc{};  // of the first statement there; empty: of what no source has
  double matrix = 0, vector = 0, control = 0, waiting = 0;
  double critical = 0;  // of the critical path, on any core and by any copy

  double on_core() const { return matrix + vector + control + waiting; }
};

// Seconds inside the trace regions of one name, on that core; those of regions inside count too.
struct RegionCost {
  std::string name;
  double seconds = 0;
};

// The critical path, by what its seconds are spent on.
struct CriticalPath {
  double work = 0;     // cores work
  double memory = 0;   // copies have their turns at hbm ...
  double links = 0;    // ... or at links
  double latency = 0;  // copies and signals are on their way

  double seconds() const { return work + memory + links + latency; }
};

struct Cost {
  std::vector<LineCost> lines;      // the largest share of the core's time first
  std::vector<RegionCost> regions;  // in the order in which they are first entered
  CriticalPath critical;
};

// Works out the cost of the run whose timeline it is told of.
class CostListener : public TimelineListener {
 public:
  void begin(const TimingRecord& record) override;
  void work(CoreIndex core, std::size_t step, double at) override;
  void wait(CoreIndex core, std::size_t step, double begin, double end) override;
  void signal(CoreIndex core, std::size_t step, std::int64_t cause, double at) override;
  void copy(CoreIndex core, std::size_t step, double begin, double end) override;
  void memory(std::int32_t device, std::int32_t copy, double begin, double end) override;
  void link(std::int32_t device, std::int32_t other, std::int32_t copy, double begin,
            double end) override;
  void count(std::int32_t cell, std::int64_t count, const Arrival& arrival, double at) override;
  void end(const Timing& timing) override;

  // After end().
  const Cost& cost() const { return cost_; }

 private:
  // A step of a core, or of none (-1), and when it was done.
  struct Place {
    CoreIndex core{};
    std::size_t step = 0;
    double at = 0;
  };
  // A copy has a memory or a link for itself.
  struct Turn {
    double begin = 0, end = 0;
    std::int32_t copy = -1;
    std::int32_t before = -1;  // the turn that ended there when this one began; -1: it was free
    bool is_link = false;
  };
  // A wait that took time, and what ended it.
  struct Pass {
    double begin = 0, end = 0;
    std::int64_t cause = -1;
  };

  void turn(std::int32_t& last, const Turn& turn);
  void add_core(CoreIndex core);
  void walk(Place from);
  Place arrive_by_copy(std::int32_t copy, double at);
  LineCost& line_of(StmtId statement);

  const TimingRecord* record_ = nullptr;
  Table<CoreIndex, std::map<std::size_t, Pass>> passes_;    // by step
  Table<CoreIndex, std::vector<std::size_t>> first_piece_;  // by step: of work
  std::vector<Place> starts_;                               // by copy
  std::vector<std::int32_t> slowest_;                       // by copy: its turn that ends last
  std::vector<Turn> turns_;
  std::map<std::int32_t, std::int32_t> at_memory_;  // by device: the last turn
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> at_link_;
  std::vector<Place> signals_;                                  // by cause, behind the copies
  std::map<std::int32_t, std::int64_t> last_cause_;             // by cell
  Table<CoreIndex, Place> last_;                                // the last step that was done
  std::map<std::pair<const Source*, int>, std::size_t> known_;  // lines: their place in the cost
  Cost cost_;
};

}  // namespace tessera
