// What was moved in a record, as a schedule for a run of the program.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/certificate/races/protocol_replay.h"
#include "interp/schedule/schedule.h"

namespace tessera {

// Steps that are no parts of a copy go into one item with those before.
void append(std::vector<ScheduleItem>& items, const ScheduleItem& item);

class RecordSchedule {
 public:
  // order: of parallel loops in the recorded run.
  RecordSchedule(const Record& record, std::optional<std::uint64_t> order);

  // Of this copy, if it is a partial copy, that granule moves last.
  void put_last(RecordedAgentId copy, std::int64_t granule);
  void append(const ProtocolReplay::EventRange& stretch);
  // The step that begins with this event, or what is left of it to a copy that was held there.
  void append_step(EventId event);
  // The step of a run in which the event comes when the schedule up to here is followed.
  std::int32_t shown_by(EventId event) const;

  const Schedule& schedule() const { return schedule_; }
  std::vector<ScheduleItem> take_items() { return std::exchange(schedule_.items, {}); }

 private:
  const RecordedAgent& agent(RecordedAgentId a) const { return record_.agents[a]; }
  std::int64_t granules(const RecordedAgent& copy) const;
  std::int64_t steps(const RecordedAgent& self, EventId position) const;
  void append(RecordedAgentId a, std::int64_t steps, const CopyPart& part = {});

  const Record& record_;
  Schedule schedule_;
  // By copy: the granule to begin with.
  std::unordered_map<RecordedAgentId, std::int64_t> first_;
};

}  // namespace tessera
