#include "analysis/certificate/races/freeze_one.h"

#include <future>
#include <memory>
#include <vector>

#include "analysis/certificate/races/race_search.h"
#include "core/report/stop.h"

namespace tessera {

// The partitions depend only on the record and are merged in order, so the result is independent of
// timing.
RaceAnalysis freeze_one(const Record& record, SearchMode mode, std::size_t max_races) {
  RaceSearchContext context(record, mode);
  const std::int32_t count = is_long(record) ? 2 : 1;
  std::vector<std::unique_ptr<RaceSearch>> parts;
  for (std::int32_t i = 0; i < count; ++i)
    parts.push_back(std::make_unique<RaceSearch>(context, max_races, i, count));
  {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < parts.size(); ++i)
      others.push_back(std::async(std::launch::async | std::launch::deferred,
                                  [&part = *parts[i], stop = current_stop()] {
                                    const StopScope scope(stop);
                                    part.run();
                                  }));
    parts.front()->run();
    for (std::future<void>& other : others) other.get();
  }
  RaceList found = parts.front()->found();
  RaceAnalysis result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) found.merge(parts[i]->found());
    result.forks += parts[i]->count();
    result.events_replayed += parts[i]->events_replayed();
    result.is_swept |= parts[i]->is_swept();
    result.is_truncated |= parts[i]->is_truncated();
  }
  result.races = found.races();
  result.more = found.more();
  result.in_race = found.in_race(false);
  result.in_race_or_leaving = found.in_race(true);
  return result;
}

}  // namespace tessera
