// One partition of the race search: blocks the accesses of some cores, and of the copies that they
// start, one after another, in the order of the run.
#pragma once
#include <cstdint>
#include <future>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/protocol_replay.h"
#include "analysis/certificate/races/sweep.h"
#include "analysis/certificate/races/watch.h"

namespace tessera {

// True if several threads search the record.
inline bool is_long(const Record& record) { return record.events.size() >= 1'000'000; }

// Shared by all partitions of a search.
class RaceSearchContext {
 public:
  // record: must outlive this object.
  RaceSearchContext(const Record& record, SearchMode mode);

  const Record& record;
  const SearchMode mode;
  const Conflicts conflicts;
  const SignalTable signals;
  Table<EventId, std::int32_t> run_positions;  // position of each event in the run

  // Cost of a sweep, in events, and its result by event, which stays valid as long as this object.
  // The first caller of suspects() runs the sweep, and it may throw Interrupted. Both are
  // thread-safe.
  std::int64_t cost_of_suspects();
  const Table<EventId, Suspicion>& suspects();
  // Number of events that the sweep replayed. Not thread-safe.
  std::int64_t swept() const { return sweep_ ? sweep_->events_done() : 0; }

 private:
  RaceSearchContext(const Record& record, SearchMode mode, std::future<SignalTable> table);
  Sweep& sweep();

  std::mutex mutex_;
  std::optional<Sweep> sweep_;
  std::optional<Table<EventId, Suspicion>> suspects_;
};

class RaceSearch {
 public:
  // Prepares the search of the cores whose index modulo `partitions` is `partition`.
  // max_races: as in freeze_one(). blocked: only accesses of these first cores and their copies are
  // blocked. context: must outlive this object.
  RaceSearch(RaceSearchContext& context, std::size_t max_races, std::int32_t partition,
             std::int32_t partitions,
             std::int32_t blocked = std::numeric_limits<std::int32_t>::max());

  // Searches; must be called only once. Throws Interrupted if current_stop() is set. The other
  // members return its results.
  void run();
  const RaceList& found() const { return found_; }
  std::int64_t count() const { return forks_; }  // number of times that an agent was blocked
  std::int64_t events_replayed() const { return replay_.events_done(); }
  bool is_truncated() const { return is_truncated_; }
  bool is_swept() const { return suspects_ != nullptr; }

 private:
  void consider_sweep();
  bool is_suspect(EventId e) const {
    return suspects_ == nullptr || (*suspects_)[e] != Suspicion::none;
  }
  bool is_known_sum(EventId e) {
    return suspects_ != nullptr && (*suspects_)[e] == Suspicion::sum && found_.skips(e);
  }
  bool blocks(RecordedAgentId agent) const {
    const std::int32_t core = record_.agents[agent].issuer.index;
    return core < blocked_ && core % partitions_ == partition_;
  }
  void segment(EventId first);
  bool has_partners(EventId x);
  void fork(RecordedAgentId agent, EventId first);

  RaceSearchContext& context_;
  const Record& record_;
  const std::int32_t partition_, partitions_, blocked_;
  ProtocolReplay replay_;
  Watch watch_;
  Table<RecordedAgentId, EventId> covered_;  // end of the current segment
  std::vector<EventId> accesses_;
  std::vector<RecordedAgentId> cores_to_advance_;  // cores that advance in this fork ...
  Table<RecordedAgentId, EventId> end_;            // ... and their ends
  std::int64_t sweep_threshold_ = 0, truncation_threshold_ = 0;  // in replayed events
  const Table<EventId, Suspicion>* suspects_ = nullptr;
  bool is_truncated_ = false;
  std::int64_t forks_ = 0;
  RaceList found_;
};

}  // namespace tessera
