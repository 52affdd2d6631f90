// Schedule for a run of the program, built from the steps that are replayed in a record.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/certificate/races/protocol_replay.h"
#include "interp/schedule/schedule.h"

namespace tessera {

// Appends an item. Steps that are not parts of a copy are added to the last item if possible.
void append(std::vector<ScheduleItem>& items, const ScheduleItem& item);

class RecordSchedule {
 public:
  // record: must outlive this object. order: order seed of parallel loops in the recorded run.
  RecordSchedule(const Record& record, std::optional<std::uint64_t> order);

  // Moves this granule of the copy last, if the copy is partial. Call it before its first append().
  // granule: from 0.
  void put_last(RecordedAgentId copy, std::int64_t granule);
  // Appends the steps of these events.
  void append(const ProtocolReplay::EventRange& stretch);
  // Appends the step that begins with this event; for a copy blocked there, the rest of the step.
  // No effect for entering or leaving the kernel, which are not steps.
  void append_step(EventId event);
  // Returns the step of its agent, from 0, in which the event occurs if a run follows the schedule
  // so far.
  std::int32_t shown_by(EventId event) const;

  const Schedule& schedule() const { return schedule_; }
  // Removes and returns the items so far.
  std::vector<ScheduleItem> take_items() { return std::exchange(schedule_.items, {}); }

 private:
  const RecordedAgent& agent(RecordedAgentId a) const { return record_.agents[a]; }
  std::int64_t granules(const RecordedAgent& copy) const;
  std::int64_t steps(const RecordedAgent& self, EventId position) const;
  void append(RecordedAgentId a, std::int64_t steps, const CopyPart& part = {});

  const Record& record_;
  Schedule schedule_;
  // First granule to move, by copy.
  std::unordered_map<RecordedAgentId, std::int64_t> first_;
};

}  // namespace tessera
