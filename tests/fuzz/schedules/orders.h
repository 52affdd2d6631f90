// The points of parallel loops in every order that each core may take them, one after the other:
// in which loops a program stops when it does not end.
#pragma once
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "tests/fuzz/schedules/protocol_net.h"

namespace tessera::fuzz {

class Orders {
 public:
  // Each count is waited for by one thread, so that whoever can move may: no order of theirs
  // matters.
  explicit Orders(const ProtocolNet& net) : net_(net) {
    for (const NetLoop& loop : net.loops) {
      order_.emplace_back(static_cast<std::size_t>(loop.points));
      std::iota(order_.back().begin(), order_.back().end(), loop.first);
    }
  }

  // Loops in which a core stands when nobody can move, in some order of the points.
  std::set<std::size_t> stuck() {
    std::set<std::size_t> result;
    do run(result);
    while (next_order());
    return result;
  }

 private:
  bool next_order() {
    for (std::vector<int>& order : order_)
      if (std::next_permutation(order.begin(), order.end())) return true;
    return false;
  }
  const std::vector<NetEvent>& events(int agent) const {
    return net_.agents[static_cast<std::size_t>(agent)].events;
  }

  // A core's list with the points in it; `loop`: of each event, or -1.
  struct Listed {
    const NetEvent* event;
    int loop;
  };
  std::vector<Listed> list(int core) const {
    std::vector<Listed> result;
    bool joins = false;
    for (const NetEvent& event : events(core)) {
      if (std::exchange(joins, event.loop >= 0)) continue;
      if (event.loop < 0) {
        result.push_back({&event, -1});
        continue;
      }
      for (const int point : order_[static_cast<std::size_t>(event.loop)])
        for (std::size_t e = 0; e + 1 < events(point).size(); ++e)
          result.push_back({&events(point)[e], event.loop});
      joins = true;
    }
    return result;
  }

  void run(std::set<std::size_t>& stuck) {
    std::vector<int> counts(static_cast<std::size_t>(net_.semaphores));
    std::vector<std::vector<Listed>> lists;
    for (int s = 0; s < net_.all_cores(); ++s) lists.push_back(list(s));
    std::vector<std::size_t> at(lists.size());
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t s = 0; s < lists.size(); ++s)
        for (; at[s] < lists[s].size() && step(*lists[s][at[s]].event, counts); ++at[s])
          moves = true;
    }
    for (std::size_t s = 0; s < lists.size(); ++s)
      if (at[s] < lists[s].size() && lists[s][at[s]].loop >= 0)
        stuck.insert(static_cast<std::size_t>(lists[s][at[s]].loop));
  }

  // A copy counts all that it counts when it starts.
  bool step(const NetEvent& event, std::vector<int>& counts) const {
    int& count = counts[static_cast<std::size_t>(event.semaphore)];
    const bool waits = event.what == Do::wait || event.what == Do::await;
    if (waits && count < event.amount) return false;
    if (event.what == Do::wait) count -= event.amount;
    if (event.what == Do::signal) count += event.amount;
    for (int i = 0; event.what == Do::start && i < event.agents; ++i)
      for (const NetEvent& part : events(event.agent + i)) step(part, counts);
    return true;
  }

  const ProtocolNet& net_;
  std::vector<std::vector<int>> order_;  // by loop: its points
};

}  // namespace tessera::fuzz
