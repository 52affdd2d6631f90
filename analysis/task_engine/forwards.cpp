#include "analysis/task_engine/forwards.h"

#include <algorithm>
#include <map>

#include "analysis/task_graph/footprint.h"
#include "interp/memory/box_index.h"

namespace tessera::graph {
namespace {

class Finder {
 public:
  Finder(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
         const std::vector<bool>& held)
      : graph_(graph), held_(held) {
    found_.is_filled = Table<MemoryId, bool>(graph.memories.size(), false);
    found_.sources = Table<MemoryId, std::vector<MemoryId>>(graph.memories.size());
    for (const MemoryId m : graph.memories.ids()) {
      const BufferId buffer = graph.memories[m].buffer;
      found_.is_filled[m] = buffer && !is_private[m] && is_held(m) &&
                            graph.program.buffers[buffer].role == Role::scratch;
    }
  }

  Forwards find() {
    for (const HalfId half : graph_.halves.ids())
      for (const Touch& touch : graph_.halves[half].touches) {
        if (touch.writes)
          writers_.try_emplace(touch.memory, shape_of(graph_, touch.memory))
              .first->second.add(touch.box, half);
        if (found_.is_filled[touch.memory] && !may_touch(half, touch))
          found_.is_filled[touch.memory] = false;
      }
    for (const Node& node : graph_.nodes) look_at_source(node);
    for (const Node& node : graph_.nodes) note_source(node);
    return std::move(found_);
  }

 private:
  bool is_held(MemoryId memory) const {
    return memory &&
           held_[static_cast<std::size_t>(graph_.topology.device(graph_.memories[memory].home))];
  }
  const Action& first(const Node& node) const { return graph_.actions[node.actions.front()]; }

  bool is_plain(const Node& node) const {
    const Action& copy = first(node);
    return node.kind == NodeKind::copy && !copy.adds && !copy.stored_only &&
           is_held(copy.from().memory) && same_kept_sizes(copy.from().box, copy.to().box);
  }

  bool may_touch(HalfId half, const Touch& touch) const {
    const Node& node = graph_.nodes[graph_.halves[half].node];
    if (graph_.halves[half].part == Part::write) return is_plain(node);
    if (graph_.halves[half].part == Part::read || touch.writes) return false;
    return std::none_of(node.actions.begin(), node.actions.end(), [&](ActionId a) {
      return graph_.actions[a].is_copy && graph_.actions[a].from().memory == touch.memory;
    });
  }

  // What is written after it was read has to be copied.
  void look_at_source(const Node& node) {
    if (!node.copies() || !found_.is_filled[first(node).to().memory] || !is_plain(node)) return;
    const Rectangle& from = first(node).from();
    const auto writers = writers_.find(from.memory);
    if (writers == writers_.end()) return;
    writers->second.for_each_meeting(from.box, [&](const Box&, HalfId writer) {
      if (writer > node.first) found_.is_filled[first(node).to().memory] = false;
    });
  }

  void note_source(const Node& node) {
    if (!node.copies() || !found_.is_filled[first(node).to().memory]) return;
    std::vector<MemoryId>& sources = found_.sources[first(node).to().memory];
    const MemoryId from = first(node).from().memory;
    if (std::find(sources.begin(), sources.end(), from) == sources.end()) sources.push_back(from);
  }

  const TaskGraph& graph_;
  const std::vector<bool>& held_;
  std::map<MemoryId, BoxIndex<HalfId>> writers_;
  Forwards found_;
};

}  // namespace

Forwards forwards(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                  const std::vector<bool>& held) {
  return Finder(graph, is_private, held).find();
}

}  // namespace tessera::graph
