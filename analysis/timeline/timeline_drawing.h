// Draws a timeline to a file: for each device its cores, units, copies in flight, memory and links,
// and counters of its semaphores, vmem and bandwidth. The accesses of a race and the waits of a
// deadlock are marked and connected by arrows.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/timeline/finding_marks.h"
#include "analysis/timeline/timeline.h"
#include "analysis/timeline/trace_file.h"

namespace tessera {

// Draws one run. The record must have Detail::drawing, which a TimingObserver with listeners sets.
class TimelineDrawing : public TimelineListener {
 public:
  // trace: must outlive this object.
  explicit TimelineDrawing(TraceFile& trace) : trace_(trace) {}

  // True if a timeline was drawn completely, so that the file is complete.
  bool is_drawn() const { return is_drawn_; }

  void begin(const TimingRecord& record) override;
  void finding(const Finding& finding) override;
  void work(CoreIndex core, std::size_t step, double at) override;
  void wait(CoreIndex core, std::size_t step, double begin, double end) override;
  void signal(CoreIndex core, std::size_t step, std::int64_t cause, double at) override;
  void copy(CoreIndex core, std::size_t step, double begin, double end) override;
  void memory(std::int32_t device, std::int32_t copy, double begin, double end) override;
  void link(std::int32_t device, std::int32_t other, std::int32_t copy, double begin,
            double end) override;
  void count(std::int32_t cell, std::int64_t count, const Arrival& arrival, double at) override;
  void end(const Timing& timing) override;

 private:
  using Piece = TimingRecord::Piece;
  using Track = TraceFile::Track;
  using Flow = TraceFile::Flow;
  using Marks = std::vector<FindingMarks::Mark>;
  using Stretch = std::pair<double, double>;
  // Kinds of tracks, from top to bottom.
  enum class Kind : int {
    core,
    matrix,
    vector,
    copies,
    memory,
    links,
    vmem,
    bandwidth,
    semaphores
  };
  struct Core {
    std::size_t piece = 0;        // next one to draw
    std::int64_t vmem = 0;        // bytes of allocated scratch
    std::vector<double> free_at;  // by lane of copies in flight: end of its last copy
    double at = 0;                // end of its last slice
  };
  // Name and location of a slice; created when a statement is drawn first.
  struct Words {
    std::string name;
    Loc loc;
  };

  // unit: unit of a counter; empty for a track of slices.
  Track track(std::int32_t device, Kind kind, const std::string& name, int number = 0,
              std::string_view unit = {});
  Track core_track(CoreIndex core, Kind kind);
  std::string core_name(CoreIndex core, std::string_view what) const;
  const Words& words(StmtId statement);
  std::string copy_name(std::int32_t copy) const;
  TraceFile::Slice slice(const Words& words, std::string_view name, TraceFile::Kind kind) const;
  TraceFile::Slice slice_of_copy(const std::string& name, std::int32_t copy);
  void mark(CoreIndex core, const Piece& piece, double at);
  void draw(Track track, TraceFile::Slice slice, double begin, double end, const Marks& marks = {});
  void draw_statement(CoreIndex core, std::size_t& next, std::size_t last, double& at);
  void draw_finding(CoreIndex core, const std::string& name, double begin, double end,
                    const Marks& marks);
  void draw_ends(double seconds);
  void draw_bandwidth(double seconds);
  const TimingRecord::Step& step_of(CoreIndex core, std::size_t step) const;
  const TimingRecord::Origin& origin_of(CoreIndex core, std::size_t step) const;

  TraceFile& trace_;
  const TimingRecord* record_ = nullptr;
  bool is_drawn_ = false;
  std::vector<Track> devices_;
  std::map<std::tuple<std::int32_t, Kind, std::string>, Track> tracks_;
  Table<CoreIndex, Core> cores_;
  std::vector<std::vector<Stretch>> moving_;  // by device: intervals in which its memory moves data
  std::map<StmtId, Words> words_;
  std::map<std::int32_t, std::deque<Arrival>> arrived_;  // by cell: arrivals that no wait has used
  FindingMarks marks_;
};

}  // namespace tessera
