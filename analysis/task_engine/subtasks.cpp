#include "analysis/task_engine/subtasks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tessera::graph {
namespace {

using Number = std::size_t;  // position of an action in the node

// Maximum number of rectangle pairs that are compared. If a node needs more, it becomes one
// subtask.
constexpr std::int64_t max_pairs = 1 << 23;

struct Access {
  Number action;
  Box box;
};

class Splitter {
 public:
  Splitter(const TaskGraph& graph, const Table<MemoryId, bool>& is_private, NodeId node,
           std::int64_t min_work)
      : graph_(graph),
        private_(is_private),
        min_(min_work),
        actions_(graph_.nodes[node].actions),
        repeats_(actions_.size(), false),
        parent_(actions_.size()),
        reads_of_(actions_.size()) {
    std::iota(parent_.begin(), parent_.end(), Number{0});
  }

  std::vector<Subtask> split() {
    note_writes();
    for (Number a = 0; a < actions_.size(); ++a) repeats_[a] = may_repeat(a);
    for (Number a = 0; a < actions_.size(); ++a) follow_values(a);
    for (Number a = 0; a < actions_.size(); ++a)
      if (!repeats_[a]) look_for_conflicts(a);
    if (pairs_ > max_pairs) return {{{actions_.begin(), actions_.end()}, {}}};
    while (joined_crossing()) {
    }
    return cut();
  }

 private:
  const Action& action(Number a) const { return graph_.actions[actions_[a]]; }
  const AccessList& touches(Number a) const { return graph_.accesses[actions_[a]]; }
  // True for memory that only this node accesses, and of which each subtask has its own copy:
  // private scratch, and scalars that a pipeline loads. Other scalars are shared by the nodes.
  bool is_own(MemoryId m) const {
    return graph_.memories[m].buffer ? private_[m] : graph_.memories[m].is_inner;
  }

  void note_writes() {
    for (Number a = 0; a < actions_.size(); ++a)
      for (const MemoryAccess& access : touches(a))
        if (access.writes && !is_own(access.memory))
          written_[access.memory].push_back({a, access.box});
  }

  bool is_written(const MemoryAccess& access) {
    const auto found = written_.find(access.memory);
    if (found == written_.end()) return false;
    pairs_ += static_cast<std::int64_t>(found->second.size());
    return pairs_ > max_pairs ||
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const Access& write) { return intersects(write.box, access.box); });
  }

  // True for cheap actions that can be repeated in each subtask, because the result does not depend
  // on their position: fetches of a window, zeros, loads of a scalar.
  bool may_repeat(Number a) {
    bool reads = false;
    for (const MemoryAccess& access : touches(a)) {
      if (access.reads && (is_own(access.memory) || is_written(access))) return false;
      if (access.writes && !is_own(access.memory)) return false;
      reads |= access.reads;
    }
    return action(a).is_copy || action(a).loads || !reads;
  }

  Number root(Number a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(Number a, Number b) {
    const auto [first, second] = std::minmax({root(a), root(b)});
    parent_[second] = first;
  }

  // Joins an action with the writers of the scratch that it reads, or repeats these writers.
  void follow_values(Number a) {
    for (const MemoryAccess& access : touches(a)) {
      if (!access.reads || !is_own(access.memory)) continue;
      const std::vector<Access>& last = last_[access.memory];
      for (std::size_t i = last.size(); i-- > 0;) {
        if (!intersects(last[i].box, access.box)) continue;
        if (repeats_[last[i].action])
          reads_of_[a].push_back(last[i].action);
        else
          join(a, last[i].action);
        if (contains(last[i].box, access.box)) break;
      }
    }
    const Op& op = graph_.program.body[action(a).statement].op;
    for (const MemoryAccess& access : touches(a)) {
      if (!access.writes || !is_own(access.memory)) continue;
      std::vector<Access>& last = last_[access.memory];
      std::erase_if(last, [&](const Access& l) { return contains(access.box, l.box); });
      if (!std::holds_alternative<Fresh>(op)) last.push_back({a, access.box});
    }
  }

  struct Lists {
    std::vector<Access> writers, readers;
  };

  // Records earlier actions that access the same bytes of shared memory, if one of the two writes.
  void look_for_conflicts(Number a) {
    for (const MemoryAccess& access : touches(a)) {
      if (is_own(access.memory) || !written_.contains(access.memory)) continue;
      Lists& lists = reached_[access.memory];
      const auto meet = [&](const std::vector<Access>& others) {
        if ((pairs_ += static_cast<std::int64_t>(others.size())) > max_pairs) return;
        for (const Access& other : others)
          if (other.action != a && intersects(other.box, access.box))
            conflicts_.emplace_back(other.action, a);
      };
      meet(lists.writers);
      if (access.writes) meet(lists.readers);
    }
    for (const MemoryAccess& access : touches(a)) {
      if (is_own(access.memory) || !written_.contains(access.memory)) continue;
      Lists& lists = reached_[access.memory];
      (access.writes ? lists.writers : lists.readers).push_back({a, access.box});
    }
  }

  struct Span {
    Number first = 0, last = 0;
  };
  std::map<Number, Span> spans() {
    std::map<Number, Span> all;
    for (Number a = 0; a < actions_.size(); ++a)
      if (!repeats_[a]) all.try_emplace(root(a), Span{a, a}).first->second.last = a;
    return all;
  }

  // Subtasks that conflict run in order. They are merged if neither ends before the other begins.
  bool joined_crossing() {
    const std::map<Number, Span> all = spans();
    bool joined = false;
    for (const auto& [a, b] : conflicts_) {
      if (root(a) == root(b)) continue;
      const Span &x = all.at(root(a)), &y = all.at(root(b));
      if (x.last < y.first || y.last < x.first) continue;
      join(a, b);
      joined = true;
    }
    return joined;
  }

  std::int64_t work(Number a) const {
    std::int64_t bytes = action(a).bytes;
    if (!action(a).is_copy)
      for (const MemoryAccess& access : touches(a)) bytes += 4 * access.box.elements();
    return action(a).flops + 4 * bytes;
  }

  std::vector<Subtask> cut() {
    std::map<Number, Span> all = spans();
    std::vector<std::pair<Number, Number>> order;  // last action, root
    for (const auto& [r, span] : all) order.emplace_back(span.last, r);
    std::sort(order.begin(), order.end());
    std::map<Number, std::int64_t> weight;
    for (Number a = 0; a < actions_.size(); ++a)
      if (!repeats_[a]) weight[root(a)] += work(a);
    std::map<Number, std::size_t> strand_of;
    std::size_t count = 0;
    std::int64_t filled = min_;
    for (const auto& [last, r] : order) {
      if (filled >= min_) {
        ++count;
        filled = 0;
      }
      filled += weight[r];
      strand_of[r] = count - 1;
    }
    std::vector<Subtask> result(count);
    std::vector<std::vector<Number>> numbers(count);
    for (Number a = 0; a < actions_.size(); ++a) {
      if (repeats_[a]) continue;
      std::vector<Number>& own = numbers[strand_of[root(a)]];
      own.push_back(a);
      own.insert(own.end(), reads_of_[a].begin(), reads_of_[a].end());
    }
    for (std::size_t s = 0; s < count; ++s) {
      std::sort(numbers[s].begin(), numbers[s].end());
      numbers[s].erase(std::unique(numbers[s].begin(), numbers[s].end()), numbers[s].end());
      for (const Number a : numbers[s]) result[s].actions.push_back(actions_[a]);
    }
    for (const auto& [a, b] : conflicts_) {
      std::size_t x = strand_of[root(a)], y = strand_of[root(b)];
      if (x == y) continue;
      result[std::max(x, y)].predecessors.push_back(std::min(x, y));
    }
    for (Subtask& s : result) {
      std::sort(s.predecessors.begin(), s.predecessors.end());
      s.predecessors.erase(std::unique(s.predecessors.begin(), s.predecessors.end()),
                           s.predecessors.end());
    }
    return result;
  }

  const TaskGraph& graph_;
  const Table<MemoryId, bool>& private_;
  const std::int64_t min_;
  const ArenaList<ActionId>& actions_;
  std::vector<bool> repeats_;
  std::vector<Number> parent_;  // union-find over actions: the root identifies the subtask
  std::vector<std::vector<Number>> reads_of_;  // repeatable actions whose results it reads
  std::map<MemoryId, std::vector<Access>> written_, last_;
  std::map<MemoryId, Lists> reached_;
  std::vector<std::pair<Number, Number>> conflicts_;  // earlier action first
  std::int64_t pairs_ = 0;
};

}  // namespace

std::vector<Subtask> subtasks(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                              NodeId node, std::int64_t min_work) {
  return Splitter(graph, is_private, node, min_work).split();
}

}  // namespace tessera::graph
