#include "analysis/certificate/record/record_schedule.h"

#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

// Steps of a partial copy with CopyPart::Side::next only.
constexpr std::int64_t steps_alone = 4;

// Entering and leaving the kernel are not steps.
bool has_step(const RecordedEvent& event) { return static_cast<bool>(event.statement); }

}  // namespace

RecordSchedule::RecordSchedule(const Record& record, std::optional<std::uint64_t> order)
    : record_(record), schedule_(replay_of_items(order)) {}

std::int64_t RecordSchedule::granules(const RecordedAgent& copy) const {
  EventId last = copy.end - 1;
  while (record_.event(last).act != Act::signal) --last;
  const std::int64_t each = record_.granule_of(copy);
  return (record_.event(last).amount + each - 1) / each;
}

void RecordSchedule::put_last(RecordedAgentId copy, std::int64_t granule) {
  if (record_.is_partial(agent(copy))) first_[copy] = (granule + 1) % granules(agent(copy));
}

// Returns the number of steps that an agent of the record has done at a position.
std::int64_t RecordSchedule::steps(const RecordedAgent& self, EventId position) const {
  if (position < self.end) return record_.event(position).step;
  if (self.begin == self.end) return 0;
  const RecordedEvent& last = record_.event(position - 1);
  return last.step + (has_step(last) ? 1 : 0);
}

void append(std::vector<ScheduleItem>& items, const ScheduleItem& item) {
  const bool is_plain = item.part == CopyPart{};
  if (is_plain && !items.empty() && items.back().agent == item.agent &&
      items.back().part == item.part)
    items.back().steps += item.steps;
  else
    items.push_back(item);
}

void RecordSchedule::append(RecordedAgentId a, std::int64_t steps, const CopyPart& part) {
  if (steps != 0) tessera::append(schedule_.items, {agent(a).id, steps, part});
}

void RecordSchedule::append(const ProtocolReplay::EventRange& stretch) {
  const RecordedAgentId a = stretch.agent;
  const RecordedAgent& self = agent(a);
  const std::int64_t from = steps(self, stretch.from), to = steps(self, stretch.to);
  if (record_.is_core(a) || !record_.is_partial(self)) return append(a, to - from);
  using Side = CopyPart::Side;
  using Partial = ProtocolReplay::EventRange::Partial;
  const auto first = first_.find(a);
  const std::int64_t begin = first == first_.end() ? 0 : first->second;
  if (stretch.partial != Partial::none) {
    const bool reads = stretch.partial == Partial::reads;
    return append(a, 1,
                  {.side = reads ? Side::read : Side::write,
                   .granules = granules(self) - 1,
                   .first = reads ? begin : 0});
  }
  if (from == 0 && to == 2) return append(a, steps_alone);
  if (from == 0 && to == 1) return append(a, 1, {.side = Side::read, .first = begin});
  if (from == 1 && to == 2) return append(a, 1, {.side = Side::write});
}

void RecordSchedule::append_step(EventId e) {
  const RecordedEvent& event = record_.event(e);
  if (!has_step(event)) return;
  CopyPart part;
  if (!record_.is_core(event.agent) && record_.is_partial(agent(event.agent)))
    part.side = event.step == 0 ? CopyPart::Side::read : CopyPart::Side::write;
  append(event.agent, 1, part);
}

std::int32_t RecordSchedule::shown_by(EventId e) const {
  const RecordedEvent& event = record_.event(e);
  const RecordedAgent& self = agent(event.agent);
  if (record_.is_core(event.agent) || !record_.is_partial(self)) {
    // A core leaves the kernel with its last step.
    const bool is_leave = !has_step(event) && e > self.begin;
    return event.step - (is_leave ? 1 : 0);
  }
  std::int64_t done = 0;
  for (const ScheduleItem& item : schedule_.items)
    if (item.agent == self.id) done += item.steps;
  return static_cast<std::int32_t>(done);
}

}  // namespace tessera
