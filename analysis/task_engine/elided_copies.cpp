#include "analysis/task_engine/elided_copies.h"

#include <algorithm>
#include <map>

#include "analysis/task_graph/footprint.h"
#include "interp/memory/box_index.h"

namespace tessera::graph {
namespace {

class Finder {
 public:
  Finder(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
         const std::vector<bool>& local_devices)
      : graph_(graph), local_devices_(local_devices) {
    found_.is_filled = Table<MemoryId, bool>(graph.memories.size(), false);
    found_.sources = Table<MemoryId, std::vector<MemoryId>>(graph.memories.size());
    for (const MemoryId m : graph.memories.ids()) {
      const BufferId buffer = graph.memories[m].buffer;
      found_.is_filled[m] = buffer && !is_private[m] && is_held(m) &&
                            graph.program.buffers[buffer].role == Role::scratch;
    }
  }

  ElidedCopies find() {
    for (const SideId side : graph_.sides.ids())
      for (const MemoryAccess& access : graph_.sides[side].accesses) {
        if (access.writes)
          writers_.try_emplace(access.memory, shape_of(graph_, access.memory))
              .first->second.add(access.box, side);
        if (found_.is_filled[access.memory] && !may_touch(side, access))
          found_.is_filled[access.memory] = false;
      }
    for (const Node& node : graph_.nodes) look_at_source(node);
    for (const Node& node : graph_.nodes) note_source(node);
    return std::move(found_);
  }

 private:
  bool is_held(MemoryId memory) const {
    return memory && local_devices_[static_cast<std::size_t>(
                         graph_.topology.device(graph_.memories[memory].owner))];
  }
  const Action& first(const Node& node) const { return graph_.actions[node.actions.front()]; }

  bool is_plain(const Node& node) const {
    const Action& copy = first(node);
    return node.kind == NodeKind::copy && !copy.adds && !copy.stored_only &&
           is_held(copy.from().memory) && same_kept_sizes(copy.from().box, copy.to().box);
  }

  bool may_touch(SideId side, const MemoryAccess& access) const {
    const Node& node = graph_.nodes[graph_.sides[side].node];
    if (graph_.sides[side].kind == SideKind::write) return is_plain(node);
    if (graph_.sides[side].kind == SideKind::read || access.writes) return false;
    return std::none_of(node.actions.begin(), node.actions.end(), [&](ActionId a) {
      return graph_.actions[a].is_copy && graph_.actions[a].from().memory == access.memory;
    });
  }

  // Data that is overwritten after the copy cannot be read from the source.
  void look_at_source(const Node& node) {
    if (!node.copies() || !found_.is_filled[first(node).to().memory] || !is_plain(node)) return;
    const Rectangle& from = first(node).from();
    const auto writers = writers_.find(from.memory);
    if (writers == writers_.end()) return;
    writers->second.for_each_meeting(from.box, [&](const Box&, SideId writer) {
      if (writer > node.first_side) found_.is_filled[first(node).to().memory] = false;
    });
  }

  void note_source(const Node& node) {
    if (!node.copies() || !found_.is_filled[first(node).to().memory]) return;
    std::vector<MemoryId>& sources = found_.sources[first(node).to().memory];
    const MemoryId from = first(node).from().memory;
    if (std::find(sources.begin(), sources.end(), from) == sources.end()) sources.push_back(from);
  }

  const TaskGraph& graph_;
  const std::vector<bool>& local_devices_;
  std::map<MemoryId, BoxIndex<SideId>> writers_;
  ElidedCopies found_;
};

}  // namespace

ElidedCopies elide_copies(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                          const std::vector<bool>& local_devices) {
  return Finder(graph, is_private, local_devices).find();
}

}  // namespace tessera::graph
