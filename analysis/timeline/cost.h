// Attributes the modelled time of a run to source lines, trace regions and the critical path. The
// critical path is the chain of work, transfers and latencies that ends last; each of these waited
// for its predecessor.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/timeline/timeline.h"

namespace tessera {

// Seconds of one source line, on the core that waits least.
struct LineCost {
  Loc loc{};  // first statement of the line; empty: without source
  double matrix = 0, vector = 0, control = 0, waiting = 0;
  double critical = 0;  // on the critical path, by any core or copy

  double on_core() const { return matrix + vector + control + waiting; }
};

// Seconds in the trace regions with one name, on that core. Nested regions count for each region.
struct RegionCost {
  std::string name;
  double seconds = 0;
};

// Seconds of the critical path by kind.
struct CriticalPath {
  double work = 0;     // work of cores
  double memory = 0;   // transfers through hbm
  double links = 0;    // transfers through links
  double latency = 0;  // latencies of copies and signals

  double seconds() const { return work + memory + links + latency; }
};

struct Cost {
  std::vector<LineCost> lines;      // largest share of the core's time first
  std::vector<RegionCost> regions;  // in the order of the first entry
  CriticalPath critical;
};

// Computes the cost of one run from its timeline. The record must have Detail::drawing, which a
// TimingObserver with listeners sets.
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

  // Requires end(); empty if the run was cut short, because TimingObserver then draws no timeline.
  const Cost& cost() const { return cost_; }

 private:
  // A step of a core, and the time when it was done; no core: none.
  struct Place {
    CoreIndex core{};
    std::size_t step = 0;
    double at = 0;
  };
  // A transfer: the exclusive use of a memory or a link by a copy.
  struct Turn {
    double begin = 0, end = 0;
    std::int32_t copy = -1;
    std::int32_t before = -1;  // transfer that ended when this one began; -1: idle before
    bool is_link = false;
  };
  // A wait that took time, and the cause that ended it.
  struct Pass {
    double begin = 0, end = 0;
    std::int64_t cause = -1;
  };

  void turn(std::int32_t& last, const Turn& turn);
  void add_core(CoreIndex core);
  void walk(Place from);
  Place arrive_by_copy(std::int32_t copy, double at);
  // Returns the entry of the statement's line in cost_, added if it is new. Stays valid until the
  // next call.
  LineCost& line_of(StmtId statement);

  const TimingRecord* record_ = nullptr;
  Table<CoreIndex, std::map<std::size_t, Pass>> passes_;    // by step
  Table<CoreIndex, std::vector<std::size_t>> first_piece_;  // by step: first piece of its work
  std::vector<Place> starts_;                               // by copy
  std::vector<std::int32_t> slowest_;                       // by copy: the transfer that ends last
  std::vector<Turn> turns_;
  std::map<std::int32_t, std::int32_t> at_memory_;  // by device: last transfer
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> at_link_;
  std::vector<Place> signals_;                       // by cause, from the first signal on
  std::map<std::int32_t, std::int64_t> last_cause_;  // by cell
  Table<CoreIndex, Place> last_;                     // last step that was done
  std::map<std::pair<const Source*, int>, std::size_t> known_;  // index in Cost::lines
  Cost cost_;
};

}  // namespace tessera
