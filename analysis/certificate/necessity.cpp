#include "analysis/certificate/necessity.h"

#include <algorithm>
#include <map>
#include <set>

namespace tessera {
namespace {

bool is_wait(const RecordedEvent& event) {
  return event.act == Act::wait || event.act == Act::await;
}

// Returns a race of the record without the events for which `is_left_out` is true. Unordered
// additions are not races here.
template <typename Predicate>
std::optional<Race> race_without(const Record& record, Predicate is_left_out) {
  Record rest = record;
  for (RecordedEvent& event : rest.events)
    if (is_left_out(event))
      event = {.object = event.object,
               .agent = event.agent,
               .statement = event.statement,
               .step = event.step};
  for (const Race& race : freeze_one(rest).races)
    if (!race.is_order) return race;
  return std::nullopt;
}

}  // namespace

std::string_view name(Necessity need) {
  switch (need) {
    case Necessity::order:
      return "order";
    case Necessity::counts:
      return "counts";
    case Necessity::none:
      return "none";
  }
  return "?";
}

std::vector<NeededWait> necessity(const Record& record) {
  // Semaphores of each waiting statement.
  std::map<StmtId, std::set<SemaphoreId>> waits;
  for (const RecordedEvent& event : record.events)
    if (is_wait(event)) waits[event.statement].insert(record.cells[event.cell()].semaphore);
  std::vector<NeededWait> needed;
  for (const auto& [statement, semaphores] : waits) {
    NeededWait entry{.statement = statement};
    const auto is_own = [&, &all = semaphores](const RecordedEvent& event) {
      return all.contains(record.cells[event.cell()].semaphore);
    };
    // Signals must arrive within the lifetime of their semaphore. This is no reason for a wait: the
    // signals would be removed as well.
    const auto is_own_lifetime = [&, &all = semaphores](const RecordedEvent& event) {
      if (event.act != Act::access) return false;
      const Range& range = record.ranges[event.range()];
      return range.kind == ObjectKind::semaphore && all.contains(range.semaphore());
    };
    entry.race = race_without(record, [&, at = statement](const RecordedEvent& event) {
      return (is_wait(event) && event.statement == at) || is_own_lifetime(event);
    });
    if (entry.race) {
      entry.need = Necessity::order;
    } else {
      const bool is_needed =
          race_without(record, [&](const RecordedEvent& event) {
            return ((is_wait(event) || event.act == Act::signal) && is_own(event)) ||
                   is_own_lifetime(event);
          }).has_value();
      entry.need = is_needed ? Necessity::counts : Necessity::none;
    }
    needed.push_back(entry);
  }
  return needed;
}

}  // namespace tessera
