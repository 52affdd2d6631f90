#include "interp/certificate/freeze_one.h"

#include <algorithm>
#include <optional>

#include "core/stop.h"
#include "interp/certificate/net.h"
#include "interp/certificate/sweep.h"
#include "interp/certificate/watch.h"

namespace tessera {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class FreezeOne {
 public:
  FreezeOne(const Record& record, Reach reach, std::size_t most)
      : record_(record),
        reach_(reach),
        conflicts_(record),
        signals_(record),
        net_(record, signals_),
        watch_(record, conflicts_),
        covered_(record.agents.size()),
        end_(at(record.cores())),
        turn_(record.events.size()),
        found_(record, conflicts_, turn_, most) {
    for (std::size_t i = 0; i < record.order.size(); ++i)
      turn_[at(record.order[i])] = static_cast<std::int32_t>(i);
    sweep_when_ = 2 * static_cast<std::int64_t>(record.events.size());
    cut_when_ = 16 * static_cast<std::int64_t>(record.events.size()) + 1'000'000;
  }

  RaceAnalysis run() {
    if (reach_ == Reach::swept) find_suspects();
    for (const std::int32_t e : record_.order) {
      if (reach_ == Reach::adaptive && !result_.is_swept && net_.events_done() > sweep_when_)
        consider_sweep();
      const RecordedEvent& event = record_.events[at(e)];
      if (!result_.is_cut && net_.events_done() > cut_when_) result_.is_cut = found_.is_full();
      if (event.act == Act::access && e >= covered_[at(event.agent)]) segment(e);
      net_.apply(e);
    }
    result_.races = found_.races();
    result_.more = found_.more();
    result_.in_race = found_.in_race(false);
    result_.in_race_or_leaving = found_.in_race(true);
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
    leave_if_stopped();
    const std::int32_t agent = record_.events[at(first)].agent;
    const std::int32_t end = record_.agents[at(agent)].end;
    std::int32_t e = first;
    members_.clear();
    for (; e < end; ++e) {
      const RecordedEvent& event = record_.events[at(e)];
      if (event.act != Act::access && event.act != Act::none && event.act != Act::poll) break;
      // Sums in no order may take away the ground that the races found stand on.
      if (result_.is_cut && event.access != AccessKind::accumulate) continue;
      if (event.act == Act::access && is_suspect(e) && has_partners(e)) members_.push_back(e);
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
    // Up to where this user may come to one, or 0.
    const auto comes_to = [&](const Conflicts::User& user) {
      const std::int32_t end =
          event.access == AccessKind::read ? user.end_of_changes : user.end_of_any;
      const bool is_own_core = is_core && user.core == self;
      if (end == 0 || (is_own_core && !user.has_copies)) return 0;
      if (net_.has_copies_in_flight(user.core)) return end;
      return is_own_core || net_.position(user.core) >= end ? 0 : end;
    };
    bool any = false;
    conflicts_.walk(
        event.object,
        [&](std::int32_t node) {
          for (const Conflicts::User& user : conflicts_.users(node))
            if (comes_to(user) > (any ? end_[at(user.core)] : 0)) return false;
          return true;
        },
        [&](std::int32_t node) {
          for (const Conflicts::User& user : conflicts_.users(node)) {
            const std::int32_t end = comes_to(user);
            if (end == 0) continue;
            any = true;
            if (end_[at(user.core)] == 0) roots_.push_back(user.core);
            end_[at(user.core)] = std::max(end_[at(user.core)], end);
          }
          return false;
        });
    return any;
  }

  void fork(std::int32_t agent, std::int32_t first) {
    ++result_.forks;
    watch_.clear();
    for (const std::int32_t x : members_) watch_.add(record_.events[at(x)].object);
    net_.watch(&watch_);
    net_.hold(agent, first);
    if (reach_ == Reach::full) {
      net_.advance_all();
    } else {
      for (const std::int32_t core : roots_) net_.advance(core, end_[at(core)]);
    }
    // A pair in which y was first in the run is found when y is held back.
    found_.add(members_, net_.hits());
    net_.undo();
  }

  const Record& record_;
  const Reach reach_;
  const Conflicts conflicts_;
  const SignalTable signals_;
  Net net_;
  Watch watch_;
  std::vector<std::int32_t> covered_;  // of each agent: the end of the segment at hand
  std::vector<std::int32_t> members_;
  std::vector<std::int32_t> roots_;  // cores that move in this fork ...
  std::vector<std::int32_t> end_;    // ... and how far, by core
  std::vector<std::int32_t> turn_;   // of each event in the run
  std::optional<Sweep> sweep_;
  std::int64_t sweep_when_ = 0, cut_when_ = 0;  // so many events were moved
  std::vector<bool> suspects_;
  RaceList found_;
  RaceAnalysis result_;
};

}  // namespace

RaceAnalysis freeze_one(const Record& record, Reach reach, std::size_t most) {
  return FreezeOne(record, reach, most).run();
}

}  // namespace tessera
