// Observer that records one run under any schedule.
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
  // granularity: partial, or whole: as in the run. budget: max number of events. keeps_points: also
  // record the start of each iteration of a parallel loop, with its number as the amount.
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
  // Drops all events, for a run that ended early and is not analysed.
  void drop();
  // Has events only between end() and drop(); none if the budget was exceeded. Stays valid until
  // begin(). Its program is a copy that this object owns.
  const Record& record() const { return record_; }
  // The two parts of on(). note_loops() must be called while the machine is at the event. take()
  // may be called later and on another thread, in the order of the events.
  void note_loops(const Event& event);
  void take(const Event& event) { joiner_ ? joiner_->take(event) : record(event); }
  std::int64_t events() const { return events_; }  // number of dropped events

 private:
  struct CopyState {
    std::int64_t bytes = 0;
    std::int32_t side = 0;        // 0: reading, 1: writing
    std::int64_t side_step = -1;  // step of the copy; its accesses start at side_begin in stream_
    std::size_t side_begin = 0;
    bool has_begun[2] = {};      // by side
    bool is_later_part = false;  // a part of this side was already recorded
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
  // Lifetimes of scoped semaphores begin with their scope, not with the kernel.
  bool shares_scoped_ = false;
  Program program_;  // copy of the run's program, which ends with the run
  Record record_;
  Chunks<RecordedEvent> stream_;                                 // in the order of the run
  Table<RecordedAgentId, std::vector<RecordedAgentId>> copies_;  // by core and copy number
  Table<RecordedAgentId, CopyState> states_;
  Table<SemaphoreId, SemaphoreId> first_declaration_;
  // Cells of each semaphore, by core and semaphore. Empty id: not used.
  Table<RecordedAgentId, Table<SemaphoreId, std::vector<CellId>>> cell_ids_;
  RangeIds range_ids_;
  std::unique_ptr<Joiner> joiner_;  // for programs with synchronous blocks; may be null
  Table<RecordedAgentId, std::int32_t> last_step_;  // number of steps, by core
  std::shared_ptr<LoopLog> loops_;
  std::atomic<bool> is_full_ = false;
};

}  // namespace tessera
