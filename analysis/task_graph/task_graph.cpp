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
    case NodeKind::stretch:
      return "stretch";
  }
  return "?";
}

Diag too_many_actions() {
  return {ErrorCode::unsupported,
          {},
          fmt::format("no task graph: the run has more than {} ops and copies", most_actions),
          {}};
}

Rectangle Action::end(int which) const {
  if (ends.empty()) return {};
  const Touch touch = ends[static_cast<std::size_t>(which)];
  return {touch.memory, touch.box};
}

SiteId TaskGraph::home(const Half& half) const {
  const Node& node = nodes[half.node];
  if (half.part == Part::whole) return node.site;
  const Action& first = actions[node.actions.front()];
  return memories[half.part == Part::read ? first.from().memory : first.to().memory].home;
}

bool TaskGraph::is_message(const Node& node) const {
  return node.copies() &&
         topology.device(home(halves[node.first])) != topology.device(home(halves[node.first + 1]));
}

}  // namespace tessera::graph
