// Every configuration that a program can reach, one after the other: the plain definition, as slow
// as it is.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/fuzz/schedules/protocol_net.h"

namespace tessera::fuzz {

// Two accesses, by line and kind, that are next at the same time; both sides in order.
using NetRace = std::pair<std::pair<int, NetAccess>, std::pair<int, NetAccess>>;

inline NetRace race_of(const NetEvent& x, const NetEvent& y) {
  NetRace race{{x.line, x.access}, {y.line, y.access}};
  if (race.second < race.first) std::swap(race.first, race.second);
  return race;
}

inline bool overlaps(const NetEvent& a, const NetEvent& b) {
  if (a.object < 0 || b.object < 0) return a.core == b.core;
  return a.owner == b.owner && a.object == b.object && a.first < b.last && b.first < a.last;
}

// Whether two accesses that are next at the same time depend on their order. Additions: is_sum.
inline bool conflict(const NetEvent& a, const NetEvent& b) {
  return overlaps(a, b) && (a.access != NetAccess::read || b.access != NetAccess::read);
}
inline bool is_sum(const NetEvent& a, const NetEvent& b) {
  return a.access == NetAccess::accumulate && b.access == NetAccess::accumulate;
}

struct Explored {
  std::set<NetRace> races;
  std::set<NetRace> sums;      // both accumulate
  std::set<std::string> ends;  // configurations in which nobody can move
  bool deadlocks = false, completes = false;
  bool leaves = false;        // a count where the program or a scope ends
  bool misses_scope = false;  // somebody reaches a semaphore whose scope is not open
  std::int64_t configurations = 0;
  bool is_truncated = false;  // too many to visit
};

class Explorer {
 public:
  Explorer(const ProtocolNet& net, bool cores_leave)
      : net_(net), cores_leave_(cores_leave), is_held_(net.agents.size()) {}

  using Look = std::function<void(const std::string& at)>;  // how far each agent has come
  // Called with every configuration; it may ask for next().
  void look(Look look) { look_ = std::move(look); }
  void hold(int agent) { is_held_[static_cast<std::size_t>(agent)] = true; }

  Explored run(std::int64_t limit) {
    Explored result;
    std::unordered_set<std::string> seen;
    std::vector<std::string> open{std::string(net_.agents.size(), '\0')};
    seen.insert(open.back());
    while (!open.empty()) {
      const std::string at = std::move(open.back());
      open.pop_back();
      if (++result.configurations > limit) {
        result.is_truncated = true;
        return result;
      }
      count(at);
      visit(at, result);
      if (look_) look_(at);
      bool moves = false;
      for (std::size_t a = 0; a < at.size(); ++a) {
        const NetEvent* event = next(a, at);
        if (event == nullptr || !is_enabled(*event)) continue;
        moves = true;
        std::string to = at;
        ++to[a];
        if (seen.insert(to).second) open.push_back(std::move(to));
      }
      if (!moves) end(at, result);
    }
    return result;
  }

  // The event of an agent that comes next; none of one that has ended or is not started.
  const NetEvent* next(std::size_t a, const std::string& at) const {
    const auto position = static_cast<std::size_t>(at[a]);
    if (position >= length(a) || !started_[a] || is_held_[a]) return nullptr;
    return &net_.agents[a].events[position];
  }

 private:
  bool is_core(std::size_t a) const { return net_.agents[a].kind == NetAgent::Kind::core; }
  std::size_t length(std::size_t a) const {
    return net_.agents[a].events.size() - (is_core(a) && !cores_leave_ ? 1 : 0);
  }
  bool is_enabled(const NetEvent& event) const {
    const bool waits = event.what == Do::wait || event.what == Do::await;
    return !waits || counts_[static_cast<std::size_t>(event.semaphore)] >= event.amount;
  }

  // Counts and started agents are a function of the positions.
  void count(const std::string& at) {
    counts_.assign(static_cast<std::size_t>(net_.semaphores), 0);
    started_.assign(net_.agents.size(), false);
    scopes_.clear();
    for (std::size_t a = 0; a < at.size(); ++a) {
      if (is_core(a)) started_[a] = true;
      for (std::size_t e = 0; e < static_cast<std::size_t>(at[a]); ++e) {
        const NetEvent& event = net_.agents[a].events[e];
        if (event.what == Do::signal)
          counts_[static_cast<std::size_t>(event.semaphore)] += event.amount;
        if (event.what == Do::wait)
          counts_[static_cast<std::size_t>(event.semaphore)] -= event.amount;
        if (event.access == NetAccess::lifetime && event.object >= object::first_array)
          ++scopes_[{event.core, event.object}];
        for (int i = 0; event.what == Do::start && i < event.agents; ++i)
          started_[static_cast<std::size_t>(event.agent + i)] = true;
      }
    }
  }

  void visit(const std::string& at, Explored& result) {
    for (std::size_t a = 0; a < at.size(); ++a) {
      const NetEvent* x = next(a, at);
      if (x == nullptr || x->what != Do::access) continue;
      for (int i = 0; x->ends_scope && i < array::cells; ++i)
        result.leaves |= counts_[static_cast<std::size_t>(
                             cell_of(x->core, x->object - object::first_array, i))] != 0;
      if (net_.shares_scopes && x->access == NetAccess::read && x->object >= object::first_array &&
          array::is_scoped(x->object - object::first_array))
        result.misses_scope |= scopes_[{x->core, x->object}] != 1;
      for (std::size_t b = a + 1; b < at.size(); ++b) {
        const NetEvent* y = next(b, at);
        if (y == nullptr || y->what != Do::access || !conflict(*x, *y)) continue;
        (is_sum(*x, *y) ? result.sums : result.races).insert(race_of(*x, *y));
      }
    }
  }

  void end(const std::string& at, Explored& result) const {
    result.ends.insert(at);
    bool is_complete = true;
    for (std::size_t a = 0; a < at.size(); ++a)
      is_complete &= !is_core(a) || static_cast<std::size_t>(at[a]) == length(a);
    (is_complete ? result.completes : result.deadlocks) = true;
    if (!is_complete) return;
    for (int s = 0; s < net_.program_cells; ++s)
      result.leaves |= counts_[static_cast<std::size_t>(s)] != 0 && array_of(s) != array::monotone;
  }

  const ProtocolNet& net_;
  const bool cores_leave_;
  std::vector<bool> is_held_;
  Look look_;
  std::vector<int> counts_;
  std::vector<bool> started_;
  std::map<std::pair<int, int>, int> scopes_;  // by core and object: 1 while open, 2 when over
};

}  // namespace tessera::fuzz
