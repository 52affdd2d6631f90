// Whether the points of a parallel loop are independent: the plain definition, on the program in
// which each point is an agent.
//   races         a point, or its copy, and another point of the loop: two accesses in no order
//   outside       a point and anybody else
//   reads_before  of x, which is its own: a point reads an element that it has not stored, and
//                 another point stores
//   undefined     x is read after the loop where two points stored it
//   waits         two points wait for one count
//   needs         a point does not end while the others have not begun
//   stops         in some order of the points of all loops the program stops there (orders.h)
#pragma once
#include <algorithm>
#include <map>

#include "tests/fuzz/schedules/explore.h"

namespace tessera::fuzz {

struct LoopTruth {
  std::set<NetRace> races, outside;
  std::set<int> reads_before, undefined;  // lines that read
  bool waits = false, needs = false, stops = false;
  bool is_read_after = false;  // an element of x that one point alone stored

  void add(const LoopTruth& other) {
    races.insert(other.races.begin(), other.races.end());
    outside.insert(other.outside.begin(), other.outside.end());
    reads_before.insert(other.reads_before.begin(), other.reads_before.end());
    undefined.insert(other.undefined.begin(), other.undefined.end());
    waits |= other.waits;
    needs |= other.needs;
    stops |= other.stops;
    is_read_after |= other.is_read_after;
  }
};

struct PointsTruth {
  std::vector<LoopTruth> loops;
  bool is_truncated = false, deadlocks = false;
  std::int64_t configurations = 0;
};

class PointsExplorer {
 public:
  explicit PointsExplorer(const ProtocolNet& forked) : net_(forked) {
    truth_.loops.resize(net_.loops.size());
    number_in_core();
  }

  PointsTruth run(std::int64_t limit) {
    Explorer explorer(net_, true);
    explorer_ = &explorer;
    explorer.look([this](const std::string& at) { look(at); });
    const Explored all = explorer.run(limit);
    truth_.configurations = all.configurations;
    truth_.is_truncated = all.is_truncated;
    truth_.deadlocks = all.deadlocks;
    for (std::size_t l = 0; l < net_.loops.size() && !truth_.is_truncated; ++l) {
      find_shared_waits(l);
      if (!truth_.loops[l].waits) find_needs(l, limit);
    }
    return std::move(truth_);
  }

 private:
  static std::size_t at_index(int i) { return static_cast<std::size_t>(i); }
  const NetAgent& agent(std::size_t a) const { return net_.agents[a]; }
  // The loop whose point does it, or -1.
  int loop_of(std::size_t a) const { return net_.agents[at_index(agent(a).thread)].loop; }

  // Where in its core's list each event stands; what points and copies do: where they were started.
  void number_in_core() {
    place_.resize(net_.agents.size());
    for (int s = 0; s < net_.all_cores(); ++s) number(s, -1);
  }
  void number(int a, int started) {
    const std::vector<NetEvent>& events = net_.agents[at_index(a)].events;
    for (std::size_t e = 0; e < events.size(); ++e) {
      const int place = started < 0 ? static_cast<int>(e) : started;
      place_[at_index(a)].push_back(place);
      if (events[e].loop >= 0) fork_[events[e].loop] = place;
      for (int i = 0; events[e].what == Do::start && i < events[e].agents; ++i)
        number(events[e].agent + i, place);
    }
  }

  static bool stores(const NetEvent& event) {
    return event.what == Do::access && event.object == object::vmem &&
           (event.access == NetAccess::write || event.access == NetAccess::accumulate);
  }
  static bool has(const NetEvent& event, int element) {
    return event.first <= element && element < event.last;
  }

  void look(const std::string& at) {
    for (std::size_t a = 0; a < at.size(); ++a) {
      const NetEvent* x = explorer_->next(a, at);
      if (x == nullptr || x->what != Do::access) continue;
      for (std::size_t b = a + 1; b < at.size(); ++b) {
        const NetEvent* y = explorer_->next(b, at);
        if (y != nullptr && y->what == Do::access && conflict(*x, *y) && !is_sum(*x, *y))
          meet(a, *x, b, *y);
      }
      const bool reads = x->access == NetAccess::read || x->access == NetAccess::accumulate;
      if (!reads || x->object != object::vmem || net_.lands_outside) continue;
      for (int element = x->first; element < x->last; ++element) read(a, *x, element, at);
    }
  }

  void meet(std::size_t a, const NetEvent& x, std::size_t b, const NetEvent& y) {
    const int i = loop_of(a), j = loop_of(b);
    if (agent(a).thread == agent(b).thread) return;
    if (i >= 0 && i == j) {
      truth_.loops[at_index(i)].races.insert(race_of(x, y));
      return;
    }
    for (const int l : {i, j})
      if (l >= 0) truth_.loops[at_index(l)].outside.insert(race_of(x, y));
  }

  // Of an element of x that is its core's, or a point's own copy of it.
  void read(std::size_t a, const NetEvent& event, int element, const std::string& at) {
    const int own = loop_of(a);
    if (own >= 0 && !has_stored(agent(a).thread, element, at, -1)) {
      const NetLoop& loop = net_.loops[at_index(own)];
      for (int p = loop.first; p < loop.first + loop.points; ++p)
        if (p != agent(a).thread && ever_stores(p, element))
          truth_.loops[at_index(own)].reads_before.insert(event.line);
    }
    const int here = place_[a][static_cast<std::size_t>(at[a])];
    // The last loop before it that stored the element.
    int last = -1, points = 0;
    for (std::size_t l = 0; l < net_.loops.size(); ++l) {
      const NetLoop& loop = net_.loops[l];
      if (loop.core != agent(a).core || fork_.at(static_cast<int>(l)) >= here) continue;
      if (static_cast<int>(l) == own) continue;
      int storing = 0;
      for (int p = loop.first; p < loop.first + loop.points; ++p)
        storing += ever_stores(p, element) ? 1 : 0;
      if (storing == 0) continue;
      last = static_cast<int>(l);
      points = storing;
    }
    if (last < 0) return;
    // Stored again since, by the core, or by the point that reads.
    const int since = fork_.at(last);
    if (has_stored(agent(a).core, element, at, since)) return;
    if (own >= 0 && has_stored(agent(a).thread, element, at, since)) return;
    LoopTruth& truth = truth_.loops[at_index(last)];
    if (points > 1)
      truth.undefined.insert(event.line);
    else
      truth.is_read_after = true;
  }

  // A thread or its copies, by events that stand behind `since` in the core's list.
  bool has_stored(int thread, int element, const std::string& at, int since) const {
    for (std::size_t a = 0; a < at.size(); ++a) {
      if (agent(a).thread != thread) continue;
      for (std::size_t e = 0; e < static_cast<std::size_t>(at[a]); ++e)
        if (place_[a][e] > since && stores(agent(a).events[e]) && has(agent(a).events[e], element))
          return true;
    }
    return false;
  }
  bool ever_stores(int thread, int element) const {
    return std::any_of(net_.agents.begin(), net_.agents.end(), [&](const NetAgent& a) {
      return a.thread == thread &&
             std::any_of(a.events.begin(), a.events.end(),
                         [&](const NetEvent& e) { return stores(e) && has(e, element); });
    });
  }

  void find_shared_waits(std::size_t l) {
    const NetLoop& loop = net_.loops[l];
    std::map<int, int> waiter;  // by cell
    for (int p = loop.first; p < loop.first + loop.points; ++p)
      for (const NetEvent& event : agent(at_index(p)).events)
        if (event.what == Do::wait && waiter.try_emplace(event.semaphore, p).first->second != p)
          truth_.loops[l].waits = true;
  }

  void find_needs(std::size_t l, std::int64_t limit) {
    const NetLoop& loop = net_.loops[l];
    for (int p = loop.first; p < loop.first + loop.points; ++p) {
      Explorer alone(net_, true);
      for (int other = loop.first; other < loop.first + loop.points; ++other)
        if (other != p) alone.hold(other);
      const Explored result = alone.run(limit);
      truth_.configurations += result.configurations;
      truth_.is_truncated |= result.is_truncated;
      for (const std::string& end : result.ends) {
        const bool begins =
            static_cast<int>(end[at_index(loop.core)]) > fork_.at(static_cast<int>(l));
        truth_.loops[l].needs |=
            begins && static_cast<std::size_t>(end[at_index(p)]) < agent(at_index(p)).events.size();
      }
    }
  }

  const ProtocolNet& net_;
  const Explorer* explorer_ = nullptr;
  std::vector<std::vector<int>> place_;  // by agent and event
  std::map<int, int> fork_;              // by loop
  PointsTruth truth_;
};

}  // namespace tessera::fuzz
