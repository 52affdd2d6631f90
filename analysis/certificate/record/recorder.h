// Makes the record of one run under any schedule.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/certificate/races/range_ids.h"
#include "analysis/certificate/record/chunks.h"
#include "analysis/certificate/record/joiner.h"
#include "analysis/certificate/record/record.h"
#include "interp/observe/observer.h"

namespace tessera {

class Recorder : public Observer {
 public:
  // granularity: partial, whatever the run uses, or that of the run. budget: events, at most.
  // keeps_points: where each point of a parallel loop begins, with its number as the amount.
  Recorder(CopyGranularity granularity, std::int64_t budget, bool keeps_points = false)
      : granularity_(granularity), budget_(budget), keeps_points_(keeps_points) {}

  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override {
    note_loops(event);
    take(event);
  }
  bool observes_assertions() const override { return true; }
  bool sees_private() const override { return keeps_points_; }
  void end(RunResult& result) override;
  bool is_full() const override { return is_full_; }
  // Of a run that ended in the middle nothing is analysed.
  void drop();
  const Record& record() const { return record_; }
  // The two parts of on(). The first needs the event while the machine stands there; the second
  // may come later, on another thread, in the order of the events.
  void note_loops(const Event& event);
  void take(const Event& event) { joiner_ ? joiner_->take(event) : record(event); }
  std::int64_t events() const { return events_; }  // that were dropped

 private:
  struct CopyState {
    std::int64_t bytes = 0;
    std::int32_t side = 0;        // 0 reading, 1 writing
    std::int64_t half_step = -1;  // the copy's own, whose accesses stand from half_begin on
    std::size_t half_begin = 0;
    bool has_begun[2] = {};      // by half
    bool is_later_part = false;  // of the half: another one was recorded
  };

  void record(const Event& event);
  RecordedAgentId agent_of(const AgentId& id) const;
  std::vector<CellId>& cell_ids(const Event& event);
  CellId cell_of(const Event& event);
  RangeId range_of(const Range& range, StmtId statement);
  Range range(const Event& event) const;
  void add(RecordedAgentId agent, const Event& event, RecordedEvent recorded);
  void access(RecordedAgentId agent, const Event& event, AccessKind kind, const Range& range);
  void start(const Event& event);
  void signal(RecordedAgentId agent, const Event& event);
  void begin_lifetime(const Event& event);
  bool reaches_operand(RecordedAgentId agent, const Event& event) const;
  bool is_later_part(RecordedAgentId agent, const Event& event);
  void enter_or_leave(bool is_enter);
  void forget();
  void group_by_agent();
  void order_lanes();
  void count_in_flight();

  CopyGranularity granularity_;
  std::int64_t budget_;
  bool keeps_points_;
  std::int64_t events_ = 0;
  bool in_order_ = false;
  bool shares_scoped_ = false;  // scoped semaphores begin with their scope, not with the kernel
  Program program_;             // the run's own ends with it
  Record record_;
  Chunks<RecordedEvent> stream_;                                 // as the run did them
  Table<RecordedAgentId, std::vector<RecordedAgentId>> copies_;  // by core, and number there
  Table<RecordedAgentId, CopyState> states_;
  Table<SemaphoreId, SemaphoreId> first_declaration_;
  // By core and semaphore: of its cells, if used.
  Table<RecordedAgentId, Table<SemaphoreId, std::vector<CellId>>> cell_ids_;
  RangeIds range_ids_;
  std::unique_ptr<Joiner> joiner_;                  // of a program whose blocks move at once
  Table<RecordedAgentId, std::int32_t> last_step_;  // of each core
  std::shared_ptr<LoopLog> loops_;
  std::atomic<bool> is_full_ = false;
};

}  // namespace tessera
