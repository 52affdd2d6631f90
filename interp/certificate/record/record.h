// A run as the analysis sees it: for each agent the list of its accesses and synchronisation, no
// data. Made by an observer from one run under any schedule.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "interp/certificate/races/range_ids.h"
#include "interp/certificate/record/chunks.h"
#include "interp/certificate/record/lists.h"
#include "interp/certificate/record/loop_log.h"
#include "interp/certificate/record/untouched.h"
#include "interp/machine/semaphores.h"
#include "interp/machine/sites.h"
#include "interp/observe/observer.h"

namespace tessera {

// poll: reads a count without waiting for it. point, points_end: of a parallel loop, where they are
// kept.
enum class Act : std::uint8_t { none, access, signal, wait, await, start, poll, point, points_end };
// What an access does; `life`: its object, or a kernel's part in the run, begins or ends.
enum class AccessKind : std::uint8_t { read, write, accumulate, life };

struct RecordedEvent {
  Act act = Act::none;
  AccessKind access = AccessKind::read;
  std::int64_t amount : 48 = 0;  // of signal, wait, await
  std::int32_t object = -1;      // access: range; signal, wait, await, poll: cell; start: agent
  std::int32_t agent = -1;
  std::int32_t statement = -1;  // -1: entering or leaving the kernel
  std::int32_t step = 0;        // the agent's own, from 0
};
// There may be a hundred million. A count has 32 bits, a copy not more bytes than an address.
static_assert(sizeof(RecordedEvent) == 24);

struct RecordedAgent {
  AgentId id{};
  std::int32_t begin = 0, end = 0;  // its events
  std::int32_t issuer = -1;         // the agent of the core that started the copy; a core: itself
  std::int32_t before = -1;         // copies in order: the one that lands before this one does
  std::int32_t started_at = -1;     // copy: the event that started it
  std::int32_t statement = -1;      // copy: its start
};

// A copy reads everything in its step 0, and writes everything in its step 1, each step with the
// count that it makes. Copies that land in parts stream: a granule that is not read or written yet
// holds nothing back but the last count.
struct Record {
  const Program* program = nullptr;
  Sites sites{0, 1};
  std::vector<RecordedAgent> agents;      // cores by site, then copies in the order of their start
  UntouchedVector<RecordedEvent> events;  // agent after agent
  std::vector<std::int32_t> order;        // all events, as the run did them
  std::vector<Range> ranges;
  std::vector<SemId> cells;  // semaphores that were used; of one barrier the first declaration
  std::vector<std::int32_t> sem_reads;     // statements that read a count, ascending
  std::vector<std::int32_t> points;        // parallel loops whose points had an order, ascending
  std::vector<std::int32_t> choices;       // ops that chose from undefined elements, ascending
  std::shared_ptr<const LoopLog> loops{};  // where in their loops the cores were
  std::int64_t accesses = 0, transfers = 0, peak_in_flight = 0;
  bool has_math = true;         // tiles of floats were computed
  bool is_partial = false;      // copies land in parts
  bool is_complete = false;     // every core finished
  bool is_over_budget = false;  // then nothing else is here

  std::int64_t granule = 1;  // bytes; of the profile

  std::int32_t cores() const { return sites.count(); }  // of all devices
  bool is_core(std::int32_t agent) const { return agent < cores(); }
  // Where in its loops an event happened; of a copy's: where the copy was started.
  LoopIndices loops_of(std::int32_t event) const;
  const RecordedEvent& event(std::int32_t e) const { return events[static_cast<std::size_t>(e)]; }
  // Of a copy: the bytes of its granules, and the first event of its step 1 (or its end).
  std::int64_t granule_of(const RecordedAgent& copy) const;
  std::int32_t write_begin(const RecordedAgent& copy) const;
  // Whether a copy streams: it lands in parts, and has more than one granule.
  bool streams(const RecordedAgent& copy) const;
  // What this signal of a copy counts when one granule is missing; 0 when the copy does not stream.
  std::int64_t but_a_granule(const RecordedEvent& signal) const;
};

// The copies that each core started, in the order of their start.
Lists<std::int32_t> copies_by_issuer(const Record& record);

class Recorder : public Observer {
 public:
  // partial: what the record says of copies that land whole in the run. budget: events, at most.
  // keeps_points: where each point of a parallel loop begins, with its number as the amount.
  Recorder(bool partial, std::int64_t budget, bool keeps_points = false)
      : partial_(partial), budget_(budget), keeps_points_(keeps_points) {}

  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override {
    note_loops(event);
    take(event);
  }
  void end(RunResult& result) override;
  bool is_full() const override { return is_full_; }
  // Of a run that ended in the middle nothing is analysed.
  void drop();
  const Record& record() const { return record_; }
  // The two parts of on(). The first needs the event while the machine stands there; the second
  // may come later, on another thread, in the order of the events.
  void note_loops(const Event& event);
  void take(const Event& event);
  std::int64_t events() const { return events_; }  // that were dropped

 private:
  struct CopyState {
    std::int64_t bytes = 0;
    std::int32_t half = 0;        // 0 reading, 1 writing
    std::int64_t half_step = -1;  // the copy's own, whose accesses stand from half_begin on
    std::size_t half_begin = 0;
    bool has_begun[2] = {};      // by half
    bool is_later_part = false;  // of the half: another one was recorded
  };

  std::int32_t agent_of(const AgentId& id) const;
  std::vector<std::int32_t>& cell_ids(const Event& event);
  std::int32_t cell_of(const Event& event);
  std::int32_t range_of(const Range& range, std::int32_t statement);
  Range range(const Event& event) const;
  void add(std::int32_t agent, const Event& event, RecordedEvent recorded);
  void access(std::int32_t agent, const Event& event, AccessKind kind, const Range& range);
  void start(const Event& event);
  void signal(std::int32_t agent, const Event& event);
  void begin_life(const Event& event);
  bool reaches_operand(std::int32_t agent, const Event& event) const;
  bool is_later_part(std::int32_t agent, const Event& event);
  void enter_or_leave(bool is_enter);
  void forget();
  void group_by_agent();
  void order_lanes();
  void count_in_flight();

  bool partial_;
  std::int64_t budget_;
  bool keeps_points_;
  std::int64_t events_ = 0;
  bool in_order_ = false;
  bool shares_scoped_ = false;  // scoped semaphores begin with their scope, not with the kernel
  Program program_;             // the run's own ends with it
  Record record_;
  Chunks<RecordedEvent> stream_;                     // as the run did them
  std::vector<std::vector<std::int32_t>> copies_;    // by core and number: agent
  std::vector<CopyState> states_;                    // by agent
  std::vector<std::int32_t> first_declaration_;      // by semaphore
  std::vector<std::vector<std::int32_t>> cell_ids_;  // by core and semaphore: of its cells, if used
  RangeIds range_ids_;
  std::vector<std::int32_t> last_step_;  // of each core
  std::shared_ptr<LoopLog> loops_;
  std::atomic<bool> is_full_ = false;
};

}  // namespace tessera
