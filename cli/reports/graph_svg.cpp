#include "cli/reports/graph_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/reports/graph_nodes.h"
#include "core/report/printable.h"
#include "core/report/source_words.h"

namespace tessera::cli {
namespace {

using graph::Node;
using graph::NodeId;
using graph::NodeKind;
using graph::TaskGraph;
using Edges = std::map<std::pair<NodeId, NodeId>, bool>;

// Pixels.
constexpr int box_width = 190, box_height = 36, gap = 14, level_height = 74, margin = 20, head = 30;
constexpr std::size_t longest_words = 26;

constexpr std::string_view style = R"(<style>
  svg { background: #ffffff; font: 12px system-ui, sans-serif; }
  text { fill: #16191d; } .dim { fill: #5b636d; font-size: 11px; }
  rect { fill: #eceff2; stroke: #8a929b; } .copy { fill: #dcebf7; } .pipeline { fill: #dff0dc; }
  .device { fill: none; stroke: #d7dbe0; }
  path { fill: none; stroke: #4a525b; } .order { stroke: #aab1b9; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14171b; } text { fill: #e6e8eb; } .dim { fill: #9aa3ad; }
    rect { fill: #2a3037; stroke: #6b747e; } .copy { fill: #1d3a52; } .pipeline { fill: #24452a; }
    .device { fill: none; stroke: #343a42; } path { stroke: #b4bcc5; } .order { stroke: #5b636d; }
  }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
  orient="auto"><path d="M 0 1 L 7 4 L 0 7"/></marker></defs>
)";

std::string markup(std::string_view plain) {
  std::string text;
  for (const char c : printable(plain)) {
    if (c == '<')
      text += "&lt;";
    else if (c == '&')
      text += "&amp;";
    else
      text += c;
  }
  return text;
}

class Picture {
 public:
  Picture(const TaskGraph& graph, const Edges& edges)
      : graph_(graph), edges_(edges), nesting_(graph.program) {
    find_levels();
    find_columns();
  }

  std::string draw() const {
    std::string text = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)",
        width_, height());
    text += '\n';
    text += style;
    for (std::size_t d = 0; d < columns_.size(); ++d)
      text += fmt::format(
          "<rect class=\"device\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>"
          "<text x=\"{}\" y=\"{}\">device {}</text>\n",
          columns_[d].first, margin, columns_[d].second, height() - 2 * margin,
          columns_[d].first + gap, margin + 18, d);
    for (const auto& [ends, is_flow] : edges_) text += edge(ends.first, ends.second, is_flow);
    for (const NodeId n : graph_.nodes.ids()) text += box(n);
    text += fmt::format(
        "<text class=\"dim\" x=\"{}\" y=\"{}\">solid: data; dashed: only an order; blue: copy; "
        "green: pipeline; grey: segment of ops</text>\n",
        margin, height() - 5);
    return text + "</svg>\n";
  }

 private:
  // A node is one level below the last node that it depends on.
  void find_levels() {
    std::map<NodeId, int> left;
    std::map<NodeId, std::vector<NodeId>> next;
    for (const auto& [ends, is_flow] : edges_) {
      ++left[ends.second];
      next[ends.first].push_back(ends.second);
    }
    std::vector<NodeId> ready;
    for (const NodeId n : graph_.nodes.ids())
      if (left[n] == 0) ready.push_back(n);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const int level = level_[ready[i]];
      levels_ = std::max(levels_, level + 1);
      for (const NodeId after : next[ready[i]]) {
        level_[after] = std::max(level_[after], level + 1);
        if (--left[after] == 0) ready.push_back(after);
      }
    }
  }

  // Nodes of one device and level are side by side, in the order of the graph.
  void find_columns() {
    const auto devices = static_cast<std::size_t>(graph_.topology.devices);
    std::map<std::pair<std::size_t, int>, int> used;
    std::vector<int> widest(devices, 1);
    for (const NodeId n : graph_.nodes.ids()) {
      const auto device = static_cast<std::size_t>(graph_.device(graph_.nodes[n]));
      place_[n] = used[{device, level_[n]}]++;
      widest[device] = std::max(widest[device], place_[n] + 1);
    }
    for (const int nodes : widest) {
      columns_.emplace_back(width_, nodes * (box_width + gap) + gap);
      width_ += columns_.back().second + margin;
    }
  }

  int height() const { return 2 * margin + head + levels_ * level_height; }
  int left(NodeId n) const {
    const auto device = static_cast<std::size_t>(graph_.device(graph_.nodes[n]));
    return columns_[device].first + gap + place_.at(n) * (box_width + gap);
  }
  int top(NodeId n) const { return margin + head + level_.at(n) * level_height; }

  std::string edge(NodeId from, NodeId to, bool is_flow) const {
    const int x = left(from) + box_width / 2, y = top(from) + box_height;
    const int to_x = left(to) + box_width / 2, to_y = top(to);
    return fmt::format("<path{} marker-end=\"url(#head)\" d=\"M {} {} C {} {} {} {} {} {}\"/>\n",
                       is_flow ? "" : " class=\"order\"", x, y, x, y + 24, to_x, to_y - 24, to_x,
                       to_y);
  }

  std::string box(NodeId n) const {
    const Node& node = graph_.nodes[n];
    const Loc loc = graph_.program.loc(node.statement);
    const std::string words =
        loc ? fmt::format("{}: {}", loc.line, source_words(loc, longest_words)) : "";
    std::string more = loc ? fmt::format("{}:{}", loc.source->name, loc.line) : "";
    for (const std::string& region : regions(graph_, nesting_, node)) more += '\n' + region;
    more += fmt::format("\n{} bytes, {} flops", node.bytes, node.flops);
    const int x = left(n), y = top(n);
    return fmt::format(
        "<g><title>{}</title><rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
        "rx=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text><text class=\"dim\" x=\"{}\" "
        "y=\"{}\">{}</text></g>\n",
        markup(more), node.copies() ? "copy" : name(node.kind), x, y, box_width, box_height,
        node.copies() ? box_height / 2 : 3, x + 12, y + 15, markup(node_name(graph_, n)), x + 12,
        y + 29, markup(words));
  }

  const TaskGraph& graph_;
  const Edges& edges_;
  Nesting nesting_;
  std::map<NodeId, int> level_, place_;       // place: among the nodes of its device and level
  std::vector<std::pair<int, int>> columns_;  // by device: left side and width
  int levels_ = 1, width_ = margin;
};

}  // namespace

Expected<std::string> graph_svg(const TaskGraph& graph) {
  if (graph.nodes.size() > most_drawn_nodes)
    return error(ErrorCode::unsupported,
                 fmt::format("--svg draws at most {} nodes, and this graph has {}: use smaller "
                             "sizes, or --dot",
                             most_drawn_nodes, graph.nodes.size()));
  const Edges edges = node_edges(graph);
  return Picture(graph, edges).draw();
}

}  // namespace tessera::cli
