// What a program with parallel loops means: its points one after the other, as a run has them, and
// each as an agent of its own.
#pragma once
#include <map>
#include <utility>

#include "tests/fuzz/schedules/protocol_net.h"

namespace tessera::fuzz {

// Copies on one link land in the order of their start: each waits for a cell that says that the
// ones before it have landed. Those of points that come in any order wait for what was started
// before the loop, and for their own.
class Lanes {
 public:
  explicit Lanes(ProtocolNet& net) : net_(net) {}

  void order() {
    for (int s = 0; s < net_.all_cores(); ++s) {
      Last last;
      thread(s, last);
    }
  }

 private:
  struct Landed {
    int cell, parts;
  };
  using Last = std::map<int, std::vector<Landed>>;  // by lane: what the next copy lands behind

  NetAgent& agent(int a) { return net_.agents[static_cast<std::size_t>(a)]; }

  void thread(int a, Last& last) {
    for (std::size_t e = 0; e < agent(a).events.size(); ++e) {
      const NetEvent event = agent(a).events[e];
      if (event.what != Do::start) continue;
      if (event.loop < 0)
        copy(event, last);
      else
        points(event, last);
    }
  }

  void points(const NetEvent& fork, Last& last) {
    Last after;
    for (int i = 0; i < fork.agents; ++i) {
      Last own = last;
      thread(fork.agent + i, own);
      for (const auto& [lane, landed] : own)
        after[lane].insert(after[lane].end(), landed.begin(), landed.end());
    }
    last = std::move(after);
  }

  void copy(const NetEvent& start, Last& last) {
    const int lane = agent(start.agent).lane;
    if (lane < 0) return;
    const int cell = net_.semaphores++;
    for (int i = 0; i < start.agents; ++i) {
      std::vector<NetEvent>& events = agent(start.agent + i).events;
      // Of its events the write is the last access to a buffer.
      std::size_t write = events.size();
      while (events[write - 1].what != Do::access || events[write - 1].object > object::hbm)
        --write;
      std::vector<NetEvent> waits;
      for (const Landed& before : last[lane])
        waits.push_back({.what = Do::await,
                         .line = start.line,
                         .semaphore = before.cell,
                         .amount = before.parts});
      events.insert(events.begin() + static_cast<std::ptrdiff_t>(write) - 1, waits.begin(),
                    waits.end());
      events.push_back({.what = Do::signal, .line = start.line, .semaphore = cell, .amount = 1});
    }
    last[lane] = {{cell, start.agents}};
  }

  ProtocolNet& net_;
};

// The points of each loop one after the other, by the core.
inline ProtocolNet in_sequence(ProtocolNet net, bool fifo) {
  for (int s = 0; s < net.all_cores(); ++s) {
    std::vector<NetEvent> events;
    bool joins = false;
    for (const NetEvent& event : net.agents[static_cast<std::size_t>(s)].events) {
      if (std::exchange(joins, event.loop >= 0)) continue;
      if (event.loop < 0) {
        events.push_back(event);
        continue;
      }
      for (int p = event.agent; p < event.agent + event.agents; ++p) {
        std::vector<NetEvent>& point = net.agents[static_cast<std::size_t>(p)].events;
        events.insert(events.end(), point.begin(), point.end() - 1);
        point.clear();
      }
      joins = true;
    }
    net.agents[static_cast<std::size_t>(s)].events = std::move(events);
  }
  if (fifo) Lanes(net).order();
  return net;
}

// Each point by itself. A semaphore is its own where only points and core touch it, with their
// copies, and its count is 0 where each of them begins and ends; x where nobody lands in it.
class LoopForks {
 public:
  explicit LoopForks(ProtocolNet net) : net_(std::move(net)), is_foreign_(at(net_.program_cells)) {}

  ProtocolNet make(bool fifo) {
    find_foreign();
    for (std::size_t l = 0; l < net_.loops.size(); ++l) take_own_cells(static_cast<int>(l));
    for (NetAgent& agent : net_.agents) {
      const bool is_of_point = agent_of(agent.thread).kind == NetAgent::Kind::point;
      for (NetEvent& event : agent.events)
        if (is_of_point && event.what == Do::access && event.object == object::vmem &&
            !net_.lands_outside)
          event.owner = net_.all_cores() + agent.thread;
    }
    if (fifo) Lanes(net_).order();
    return std::move(net_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  NetAgent& agent_of(int a) { return net_.agents[at(a)]; }

  static bool counts(const NetEvent& event) {
    return event.what == Do::signal || event.what == Do::wait || event.what == Do::await;
  }

  void find_foreign() {
    for (const NetAgent& agent : net_.agents)
      for (const NetEvent& event : agent.events)
        if (counts(event) && event.semaphore < net_.program_cells &&
            core_of(event.semaphore) != agent.core)
          is_foreign_[at(event.semaphore)] = true;
  }

  // What a thread and its copies count in all on cells of its core, into `sums`.
  void count(const std::vector<NetEvent>& events, std::map<int, int>& sums) {
    for (const NetEvent& event : events) {
      if (event.what == Do::signal) sums[event.semaphore] += event.amount;
      if (event.what == Do::wait) sums[event.semaphore] -= event.amount;
      if (event.what == Do::await) sums[event.semaphore] += 0;
      for (int i = 0; event.what == Do::start && i < event.agents; ++i)
        count(agent_of(event.agent + i).events, sums);
    }
  }

  void take_own_cells(int number) {
    const NetLoop loop = net_.loops[at(number)];
    const std::vector<NetEvent>& core = agent_of(loop.core).events;
    std::size_t fork = 0;
    while (core[fork].loop != number) ++fork;
    std::map<int, int> before;
    count({core.begin(), core.begin() + static_cast<std::ptrdiff_t>(fork)}, before);
    std::map<int, bool> is_own;
    for (int p = loop.first; p < loop.first + loop.points; ++p) {
      std::map<int, int> sums;
      count(agent_of(p).events, sums);
      for (const auto& [cell, sum] : sums) {
        if (cell >= net_.program_cells || is_foreign_[at(cell)]) continue;
        const auto [known, is_new] = is_own.try_emplace(cell, before[cell] == 0);
        known->second = known->second && sum == 0;
      }
    }
    for (int p = loop.first; p < loop.first + loop.points; ++p) {
      std::map<int, int> cells;  // of the program: of the point
      for (NetAgent& agent : net_.agents) {
        if (agent.thread != p) continue;
        for (NetEvent& event : agent.events) {
          if (!counts(event) || !is_own.contains(event.semaphore) || !is_own[event.semaphore])
            continue;
          const auto [known, is_new] = cells.try_emplace(event.semaphore, net_.semaphores);
          if (is_new) ++net_.semaphores;
          event.semaphore = known->second;
        }
      }
    }
  }

  ProtocolNet net_;
  std::vector<bool> is_foreign_;
};

inline ProtocolNet forked(const ProtocolNet& net, bool fifo) { return LoopForks(net).make(fifo); }

}  // namespace tessera::fuzz
