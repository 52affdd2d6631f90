// The events of findings that a drawing of a run marks, with the arrows between them.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/timing_record.h"
#include "analysis/timeline/trace_file.h"
#include "core/report/finding.h"

namespace tessera {

class FindingMarks {
 public:
  struct Mark {
    int finding = 0;  // in the order of add()
    StmtId statement;
    std::string what{};                         // deadlock: the wait
    std::vector<TraceFile::Flow> from{}, to{};  // arrows that leave the event, and that end at it
  };

  // Adds the events of the next finding. A race has an arrow between its accesses. A deadlock has
  // arrows from each blocked core to the cores that its next signal would release.
  void add(const Finding& finding, const TimingRecord& record);
  // Return the marks of a core's begin, of its steps up to and including `number`, of its end, and
  // of the wait at which it is blocked. The first three remove the marks that they return.
  std::vector<Mark> at_begin(CoreIndex core) { return taken(core, before_steps); }
  std::vector<Mark> up_to(CoreIndex core, std::int64_t number) { return taken(core, number); }
  std::vector<Mark> at_end(CoreIndex core) { return taken(core, after_steps); }
  std::optional<Mark> blocked(CoreIndex core) const;
  // Returns the marks of a copy, an index in TimingRecord::copies().
  std::vector<Mark> of_copy(std::int32_t copy) const;

 private:
  static constexpr std::int64_t before_steps = -1, after_steps = std::int64_t{1} << 62;
  std::vector<Mark> taken(CoreIndex core, std::int64_t last);

  int findings_ = 0;
  TraceFile::Flow next_flow_ = TraceFile::Flow{1} << 62;  // copies and signals have lower numbers
  std::map<CoreIndex, std::multimap<std::int64_t, Mark>> of_cores_;  // by number of the step
  std::map<CoreIndex, Mark> blocked_;
  std::multimap<std::int32_t, Mark> of_copies_;
};

}  // namespace tessera
