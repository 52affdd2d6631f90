#include "analysis/task_graph/task_graph.h"

#include <fmt/format.h>

namespace tessera::graph {

std::string_view name(NodeKind kind) {
  switch (kind) {
    case NodeKind::copy:
      return "copy";
    case NodeKind::gather:
      return "gather";
    case NodeKind::pipeline:
      return "pipeline";
    case NodeKind::segment:
      return "segment";
  }
  return "?";
}

Diag too_many_actions() {
  return {ErrorCode::unsupported,
          {},
          fmt::format("no task graph: the run has more than {} ops and copies", max_actions),
          {}};
}

Rectangle Action::end(int which) const {
  if (ends.empty()) return {};
  const MemoryAccess access = ends[static_cast<std::size_t>(which)];
  return {access.memory, access.box};
}

CoreIndex TaskGraph::owner(const NodeSide& side) const {
  const Node& node = nodes[side.node];
  if (side.kind == SideKind::whole) return node.core;
  const Action& first = actions[node.actions.front()];
  return memories[side.kind == SideKind::read ? first.from().memory : first.to().memory].owner;
}

bool TaskGraph::is_message(const Node& node) const {
  return node.copies() && topology.device(owner(sides[node.first_side])) !=
                              topology.device(owner(sides[node.first_side + 1]));
}

}  // namespace tessera::graph
