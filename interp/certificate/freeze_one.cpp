#include "interp/certificate/freeze_one.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "interp/certificate/sweep.h"

namespace tessera {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class FreezeOne {
 public:
  FreezeOne(const Record& record, Reach reach)
      : record_(record),
        reach_(reach),
        conflicts_(record),
        signals_(record),
        net_(record, signals_),
        covered_(record.agents.size()),
        end_(at(record.cores())),
        turn_(record.events.size()),
        found_(record) {
    for (std::size_t i = 0; i < record.order.size(); ++i)
      turn_[at(record.order[i])] = static_cast<std::int32_t>(i);
    sweep_when_ = 2 * static_cast<std::int64_t>(record.events.size());
  }

  RaceAnalysis run() {
    if (reach_ == Reach::swept) find_suspects();
    for (const std::int32_t e : record_.order) {
      if (reach_ == Reach::adaptive && !result_.is_swept && net_.events_done() > sweep_when_)
        consider_sweep();
      const RecordedEvent& event = record_.events[at(e)];
      if (event.act == Act::access && e >= covered_[at(event.agent)]) segment(e);
      net_.apply(e);
    }
    result_.races = found_.take();
    result_.moved = net_.events_done();
    return std::move(result_);
  }

 private:
  void find_suspects() {
    if (!sweep_) sweep_.emplace(record_, conflicts_, turn_);
    suspects_ = sweep_->suspects();
    result_.is_swept = true;
  }

  // What the sweep costs is known only when it is prepared.
  void consider_sweep() {
    if (!sweep_) sweep_.emplace(record_, conflicts_, turn_);
    sweep_when_ = sweep_->cost();
    if (net_.events_done() > sweep_when_) find_suspects();
  }

  bool is_suspect(std::int32_t e) const { return !result_.is_swept || suspects_[at(e)]; }

  // Accesses with no synchronisation between them share one fork.
  void segment(std::int32_t first) {
    const std::int32_t agent = record_.events[at(first)].agent;
    const std::int32_t end = record_.agents[at(agent)].end;
    std::int32_t e = first;
    members_.clear();
    for (; e < end; ++e) {
      const RecordedEvent& event = record_.events[at(e)];
      if (event.act != Act::access && event.act != Act::none && event.act != Act::poll) break;
      if (event.act == Act::access && !event.is_first_part && is_suspect(e) && has_partners(e))
        members_.push_back(e);
    }
    covered_[at(agent)] = e;
    if (!members_.empty()) fork(agent, first);
    for (const std::int32_t core : roots_) end_[at(core)] = 0;
    roots_.clear();
  }

  // Whether anybody else can still come to an access that clashes; notes who, and how far they go.
  bool has_partners(std::int32_t x) {
    const RecordedEvent& event = record_.events[at(x)];
    const std::int32_t self = record_.agents[at(event.agent)].issuer;
    const bool is_core = record_.is_core(event.agent);
    bool any = false;
    for (const std::int32_t r : conflicts_.overlapping(event.object)) {
      for (const Conflicts::User& user : conflicts_.users(r)) {
        const std::int32_t end =
            event.access == AccessKind::read ? user.end_of_changes : user.end_of_any;
        if (end == 0 || (is_core && user.core == self && !user.has_copies)) continue;
        const bool is_own_core = is_core && user.core == self;
        if (!net_.has_copies_in_flight(user.core) &&
            (is_own_core || net_.position(user.core) >= end))
          continue;
        any = true;
        if (end_[at(user.core)] == 0) roots_.push_back(user.core);
        end_[at(user.core)] = std::max(end_[at(user.core)], end);
      }
    }
    return any;
  }

  void fork(std::int32_t agent, std::int32_t first) {
    ++result_.forks;
    net_.clear_marks();
    for (const std::int32_t x : members_)
      for (const std::int32_t r : conflicts_.overlapping(record_.events[at(x)].object))
        net_.mark(r);
    net_.hold(agent, first);
    if (reach_ == Reach::full) {
      net_.advance_all();
    } else {
      for (const std::int32_t core : roots_) net_.advance(core, end_[at(core)]);
    }
    for (const std::int32_t y : net_.hits()) {
      const RecordedEvent& other = record_.events[at(y)];
      if (other.is_second_part) continue;
      for (const std::int32_t x : members_) {
        const RecordedEvent& event = record_.events[at(x)];
        // A pair in which y was first in the run is found when y is held back.
        if (turn_[at(y)] < turn_[at(x)] || clash(event.access, other.access) == Clash::none)
          continue;
        const std::span<const std::int32_t> near = conflicts_.overlapping(event.object);
        if (std::find(near.begin(), near.end(), other.object) != near.end()) found_.add(x, y);
      }
    }
    net_.undo();
  }

  const Record& record_;
  const Reach reach_;
  const Conflicts conflicts_;
  const SignalTable signals_;
  Net net_;
  std::vector<std::int32_t> covered_;  // of each agent: the end of the segment at hand
  std::vector<std::int32_t> members_;
  std::vector<std::int32_t> roots_;  // cores that move in this fork ...
  std::vector<std::int32_t> end_;    // ... and how far, by core
  std::vector<std::int32_t> turn_;   // of each event in the run
  std::optional<Sweep> sweep_;
  std::int64_t sweep_when_ = 0;  // so many events were moved
  std::vector<bool> suspects_;
  RaceList found_;
  RaceAnalysis result_;
};

}  // namespace

RaceList::Key RaceList::key(const RecordedEvent& x, const RecordedEvent& y) const {
  const Range& a = record_.ranges[at(x.object)];
  const Range& range = a.kind == ObjectKind::none ? record_.ranges[at(y.object)] : a;
  const std::int32_t object =
      range.kind == ObjectKind::semaphore ? -1 - range.object : range.object;
  Key key{x.statement, y.statement, object, x.access, y.access};
  if (std::tie(key.second, key.second_kind) < std::tie(key.first, key.first_kind)) {
    std::swap(key.first, key.second);
    std::swap(key.first_kind, key.second_kind);
  }
  return key;
}

bool RaceList::adds_integers(const RecordedEvent& event) const {
  const Range& range = record_.ranges[at(event.object)];
  return is_integer(record_.program->buffers[at(range.object)].dtype);
}

void RaceList::add(std::int32_t x, std::int32_t y) {
  const RecordedEvent &a = record_.events[at(x)], &b = record_.events[at(y)];
  const Clash how = clash(a.access, b.access);
  if (a.agent == b.agent || how == Clash::none) return;
  if (how == Clash::order && adds_integers(a)) return;
  const Key k = key(a, b);
  auto entry = std::find_if(found_.begin(), found_.end(),
                            [&](const auto& known) { return known.first == k; });
  if (entry == found_.end())
    entry = found_.insert(found_.end(), {k, Race{x, y, 0, how == Clash::order}});
  if (entry->second.pairs++ > 0) keep(entry->second, x, y);
}

// The pairs that are kept are the same whatever schedule was recorded: the first ones by their
// names, and the last.
void RaceList::keep(Race& race, std::int32_t x, std::int32_t y) const {
  constexpr std::size_t most = 3;
  const auto is_before = [&](const auto& a, const auto& b) {
    return names(a.first, a.second) < names(b.first, b.second);
  };
  std::pair pair(x, y);
  if (const std::pair first(race.x, race.y); is_before(pair, first)) {
    race.x = x;
    race.y = y;
    pair = first;
  }
  race.others.insert(std::upper_bound(race.others.begin(), race.others.end(), pair, is_before),
                     pair);
  if (race.others.size() > most) race.others.erase(race.others.end() - 2);
}

// The pair that stands for all is the same whatever schedule was recorded.
RaceList::Names RaceList::names(std::int32_t x, std::int32_t y) const {
  const auto name = [&](std::int32_t e) {
    const RecordedEvent& event = record_.events[at(e)];
    const AgentId& id = record_.agents[at(event.agent)].id;
    return std::array<std::int64_t, 4>{id.device, id.core, id.dma, event.step};
  };
  return {std::min(name(x), name(y)), std::max(name(x), name(y))};
}

std::vector<Race> RaceList::take() {
  std::vector<Race> races;
  std::sort(found_.begin(), found_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [key, race] : found_) races.push_back(race);
  return races;
}

RaceAnalysis freeze_one(const Record& record, Reach reach) {
  return FreezeOne(record, reach).run();
}

}  // namespace tessera
