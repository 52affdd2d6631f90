// Every configuration that a program can reach, one after the other: the plain definition, as slow
// as it is.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/fuzz/schedules/net.h"

namespace tessera::fuzz {

// Two accesses, by line and kind, that are next at the same time; both sides in order.
using NetRace = std::pair<std::pair<int, Touch>, std::pair<int, Touch>>;

struct Explored {
  std::set<NetRace> races;
  std::set<NetRace> sums;      // both accumulate
  std::set<std::string> ends;  // configurations in which nobody can move
  bool deadlocks = false, completes = false, leaves = false;  // leaves: a count at a complete end
  std::int64_t configurations = 0;
  bool is_cut = false;  // too many to visit
};

class Explorer {
 public:
  Explorer(const Net& net, bool cores_leave) : net_(net), cores_leave_(cores_leave) {}

  Explored run(std::int64_t limit) {
    Explored result;
    std::unordered_set<std::string> seen;
    std::vector<std::string> open{std::string(net_.agents.size(), '\0')};
    seen.insert(open.back());
    while (!open.empty()) {
      const std::string at = std::move(open.back());
      open.pop_back();
      if (++result.configurations > limit) {
        result.is_cut = true;
        return result;
      }
      count(at);
      visit(at, result);
      bool moves = false;
      for (std::size_t a = 0; a < at.size(); ++a) {
        const NetEvent* next = next_of(a, at);
        if (next == nullptr || !is_enabled(*next)) continue;
        moves = true;
        std::string to = at;
        ++to[a];
        if (seen.insert(to).second) open.push_back(std::move(to));
      }
      if (!moves) end(at, result);
    }
    return result;
  }

 private:
  std::size_t length(std::size_t a) const {
    const NetAgent& agent = net_.agents[a];
    return agent.events.size() - (agent.is_copy || cores_leave_ ? 0 : 1);
  }
  const NetEvent* next_of(std::size_t a, const std::string& at) const {
    const auto position = static_cast<std::size_t>(at[a]);
    if (position >= length(a) || (net_.agents[a].is_copy && !started_[a])) return nullptr;
    return &net_.agents[a].events[position];
  }
  bool is_enabled(const NetEvent& event) const {
    const bool waits = event.what == Do::wait || event.what == Do::await;
    return !waits || counts_[static_cast<std::size_t>(event.semaphore)] >= event.amount;
  }

  // Counts and started copies are a function of the positions.
  void count(const std::string& at) {
    counts_.assign(static_cast<std::size_t>(net_.semaphores), 0);
    started_.assign(net_.agents.size(), false);
    for (std::size_t a = 0; a < at.size(); ++a) {
      for (std::size_t e = 0; e < static_cast<std::size_t>(at[a]); ++e) {
        const NetEvent& event = net_.agents[a].events[e];
        if (event.what == Do::signal)
          counts_[static_cast<std::size_t>(event.semaphore)] += event.amount;
        if (event.what == Do::wait)
          counts_[static_cast<std::size_t>(event.semaphore)] -= event.amount;
        for (int i = 0; event.what == Do::start && i < event.agents; ++i)
          started_[static_cast<std::size_t>(event.agent + i)] = true;
      }
    }
  }

  static bool overlaps(const NetEvent& a, const NetEvent& b) {
    if (a.object < 0 || b.object < 0) return a.site == b.site;
    return a.home == b.home && a.object == b.object && a.first < b.last && b.first < a.last;
  }

  void visit(const std::string& at, Explored& result) const {
    for (std::size_t a = 0; a < at.size(); ++a) {
      const NetEvent* x = next_of(a, at);
      if (x == nullptr || x->what != Do::access) continue;
      for (std::size_t b = a + 1; b < at.size(); ++b) {
        const NetEvent* y = next_of(b, at);
        if (y == nullptr || y->what != Do::access || !overlaps(*x, *y)) continue;
        if (x->touch == Touch::read && y->touch == Touch::read) continue;
        NetRace race{{x->line, x->touch}, {y->line, y->touch}};
        if (race.second < race.first) std::swap(race.first, race.second);
        const bool is_sum = x->touch == Touch::accumulate && y->touch == Touch::accumulate;
        (is_sum ? result.sums : result.races).insert(race);
      }
    }
  }

  void end(const std::string& at, Explored& result) const {
    result.ends.insert(at);
    bool is_complete = true;
    for (std::size_t a = 0; a < at.size(); ++a)
      is_complete &= net_.agents[a].is_copy || static_cast<std::size_t>(at[a]) == length(a);
    (is_complete ? result.completes : result.deadlocks) = true;
    if (!is_complete) return;
    for (std::size_t s = 0; s < static_cast<std::size_t>(net_.tokens); ++s) {
      const bool is_monotone = s / 2 % 3 == 2;
      result.leaves |= counts_[s] != 0 && !is_monotone;
    }
  }

  const Net& net_;
  const bool cores_leave_;
  std::vector<int> counts_;
  std::vector<bool> started_;
};

}  // namespace tessera::fuzz
