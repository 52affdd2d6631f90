#include "analysis/task_graph/unfold.h"

#include <algorithm>
#include <utility>

namespace tessera::graph {
namespace {

class Unfolder {
 public:
  Unfolder(TaskGraph& graph, const std::function<bool(CoreIndex)>& wants)
      : graph_(graph), wants_(wants) {}

  // Number of actions in the unfolded graph.
  std::size_t count_actions() const {
    std::size_t count = graph_.actions.size();
    for (const Instance& instance : graph_.instances.all) {
      const Pattern& pattern = graph_.instances.patterns[instance.pattern];
      count += static_cast<std::size_t>(pattern.last - pattern.first);
    }
    return count;
  }

  // Actions and memory that were recorded between two instances keep their places.
  void run() {
    actions_.reserve(count_actions());
    touches_.reserve(count_actions());
    new_memory_.resize(graph_.memories.size());
    for (const InstanceId i : graph_.instances.all.ids()) {
      const Instance& instance = graph_.instances.all[i];
      take_actions(instance.next_action);
      take_memories(instance.next_memory);
      add(i);
    }
    take_actions(graph_.actions.next());
    take_memories(graph_.memories.next());
    for (Node& node : graph_.nodes) renumber(node);
    for (NodeSide& side : graph_.sides)
      side.accesses.rename([&](MemoryId m) { return new_memory_[m]; });
    // The actions of the folded graph still have the old ids of memory here.
    for (const auto& [first, last] : old_)
      for (ActionId a = first; a < last; ++a) {
        rename(actions_[a], touches_[a],
               [&](MemoryId m) { return m ? new_memory_[m] : MemoryId(); });
      }
    graph_.actions = std::move(actions_);
    graph_.accesses = std::move(touches_);
    graph_.memories = std::move(memories_);
    graph_.instances = {};
  }

 private:
  void take_actions(ActionId end) {
    const ActionId first = actions_.next();
    for (; next_action_ < end; ++next_action_) {
      new_action_.add(actions_.add(graph_.actions[next_action_]));
      touches_.add(graph_.accesses[next_action_]);
    }
    if (actions_.next() != first) old_.emplace_back(first, actions_.next());
  }

  void take_memories(MemoryId end) {
    for (; next_memory_ < end; ++next_memory_) take_memory();
  }
  void take_memory() { new_memory_[next_memory_] = memories_.add(graph_.memories[next_memory_]); }

  template <typename Of>
  static void rename(Action& action, AccessList& accesses, Of of) {
    for (auto& number : action.loaded_scalars) number.second = of(number.second);
    for (MemoryId& m : action.memories) m = of(m);
    action.loads = of(action.loads);
    action.ends.rename(of);
    accesses.rename(of);
  }

  // Copies the action with its own lists of memories.
  Action copy(const Action& like) {
    Action action = like;
    action.loaded_scalars = like.loaded_scalars.copy(*graph_.arena);
    action.memories = like.memories.copy(*graph_.arena);
    action.ends = like.ends.copy(*graph_.arena);
    return action;
  }

  // Memory that the pipeline is the first to access is numbered in the order of these accesses.
  void add(InstanceId id) {
    const Pattern& pattern = graph_.instances.pattern(id);
    const std::span<const Instances::Own> own = graph_.instances.memories_of(id);
    std::vector<std::pair<MemoryId, MemoryId>> names;  // memory of the first pipeline, own memory
    for (std::size_t i = 0; i < own.size(); ++i) {
      const MemoryId of_first = pattern.reached[i].memory;
      if (own[i].memory) {
        if (own[i].memory == next_memory_) take_memory(), ++next_memory_;
        names.emplace_back(of_first, new_memory_[own[i].memory]);
        continue;
      }
      Memory memory = graph_.memories[of_first];
      memory.owner = graph_.topology.owner(graph_.instances.all[id].core,
                                           graph_.program.buffers[memory.buffer].space);
      memory.generation = own[i].generation;
      names.emplace_back(of_first, memories_.add(memory));
    }
    const auto of = [&](MemoryId m) {
      const auto known = std::find_if(names.begin(), names.end(),
                                      [&](const auto& name) { return name.first == m; });
      return known == names.end() ? MemoryId() : known->second;
    };
    const CoreIndex core = graph_.instances.all[id].core;
    begins_.add(actions_.next());
    const bool is_wanted = !wants_ || wants_(core);
    for (ActionId a = pattern.first; a < pattern.last; ++a) {
      const ActionId first = new_action_[a];
      const Action& like = actions_[first];  // stays valid: actions_ is reserved
      actions_.add(is_wanted ? copy(like)
                             : Action{.statement = like.statement, .is_copy = like.is_copy});
      touches_.add(is_wanted ? touches_[first].copy(*graph_.arena) : AccessList());
      actions_.back().core = core;
      if (is_wanted) rename(actions_.back(), touches_.back(), of);
    }
  }

  void renumber(Node& node) {
    node.pattern = {};
    const InstanceId instance = std::exchange(node.instance, InstanceId());
    if (!instance) {
      for (ActionId& a : node.actions) a = new_action_[a];
      return;
    }
    const std::size_t count = std::exchange(node.actions, {}).size();
    node.actions.reserve(*graph_.arena, count);
    const ActionId first = begins_[instance];
    for (ActionId a = first; a < first + static_cast<std::int32_t>(count); ++a)
      node.actions.push_back(*graph_.arena, a);
  }

  TaskGraph& graph_;
  const std::function<bool(CoreIndex)>& wants_;
  Actions actions_;
  ActionAccesses touches_;
  Table<MemoryId, Memory> memories_;
  ActionId next_action_{0};
  MemoryId next_memory_{0};
  Table<ActionId, ActionId> new_action_;  // indexed by ids of the folded graph
  Table<MemoryId, MemoryId> new_memory_;
  Table<InstanceId, ActionId> begins_;              // first action of each instance
  std::vector<std::pair<ActionId, ActionId>> old_;  // ranges that belong to no instance
};

}  // namespace

Expected<void> unfold(TaskGraph& graph, const std::function<bool(CoreIndex)>& wants) {
  if (!graph.instances.all.empty()) {
    Unfolder unfolder(graph, wants);
    if (unfolder.count_actions() > max_actions) return too_many_actions();
    unfolder.run();
  }
  graph.instances = {};
  return {};
}

}  // namespace tessera::graph
