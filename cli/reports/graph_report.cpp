#include "cli/reports/graph_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/task_graph/measures.h"
#include "cli/reports/graph_nodes.h"
#include "cli/reports/report.h"
#include "core/passes/at_once.h"
#include "interp/machine/nesting.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using graph::Measures;
using graph::Node;
using graph::NodeId;
using graph::NodeKind;
using graph::TaskGraph;

constexpr std::array kinds = {NodeKind::copy, NodeKind::gather, NodeKind::pipeline,
                              NodeKind::segment};
constexpr std::array<std::array<std::string_view, 2>, 4> kind_words = {{{"copy", "copies"},
                                                                        {"gather", "gathers"},
                                                                        {"pipeline", "pipelines"},
                                                                        {"segment", "segments"}}};

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}
std::string counted(std::int64_t count, std::string_view one) {
  return counted(count, one, std::string(one) + "s");
}

// Escapes text for a quoted string of Graphviz.
std::string escaped(std::string_view plain) {
  std::string text;
  for (const char c : plain) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string place_of(const TaskGraph& graph, const Node& node) {
  const Loc loc = graph.program.loc(node.statement);
  return loc ? escaped(fmt::format("{}:{}", loc.source->name, loc.line)) : "";
}

std::string work_words(const graph::Work& work) {
  return fmt::format("{}, {} bytes, {} flops", counted(work.nodes, "node"), work.bytes, work.flops);
}

}  // namespace

std::string graph_lines(const Prepared& prepared, const TaskGraph& graph) {
  const Measures m = measures(graph);
  std::string nodes = counted(static_cast<std::int64_t>(graph.nodes.size()), "node");
  const char* separator = ": ";
  for (const NodeKind kind : kinds) {
    const auto k = static_cast<std::size_t>(kind);
    if (m.nodes[k] == 0) continue;
    nodes += separator + counted(m.nodes[k], kind_words[k][0], kind_words[k][1]);
    separator = ", ";
  }
  std::string text = line("kernel", prepared.kernel);
  text += line("device", fmt::format("interpreter, profile {}, {}{}",
                                     prepared.request.options.machine.profile.name,
                                     counted(graph.topology.devices, "device"),
                                     cores_words(prepared.request.options)));
  text += line("graph", nodes);
  text += line("dead", counted(graph.dead, "node") + (graph.dead == 0 ? "" : ", omitted"));
  text +=
      line("edges", fmt::format("{} inside devices, {} of them with data", m.edges, m.data_edges));
  text +=
      line("between", fmt::format("{}, {} bytes", counted(m.messages, "message"), m.message_bytes));
  text += line("depth", fmt::format("{}, along data edges only {}", m.depth, m.data_depth));
  text += line("critical", work_words(m.critical));
  text += line("all", work_words(m.all));
  const graph::PlanningTime& took = graph.planning;
  text += line("planned", fmt::format("{}: run {}, verdict {}, graph {}", human_seconds(took.all()),
                                      human_seconds(took.run), human_seconds(took.verdict),
                                      human_seconds(took.graph)));
  return text;
}

Json graph_json(const Prepared& prepared, const TaskGraph& graph) {
  const Measures m = measures(graph);
  const Nesting nesting(graph.program);
  Json nodes = Json::array(), edges = Json::array();
  for (const NodeId n : graph.nodes.ids()) {
    const Node& node = graph.nodes[n];
    const Loc loc = graph.program.loc(node.statement);
    nodes.push_back({{"kind", name(node.kind)},
                     {"device", graph.device(node)},
                     {"to", destination(graph, node)},
                     {"file", loc ? loc.source->name : ""},
                     {"line", loc ? loc.line : 0},
                     {"regions", regions(graph, nesting, node)},
                     {"step", node.commit},
                     {"ops", node.actions.size()},
                     {"bytes", node.bytes},
                     {"flops", node.flops}});
  }
  for (const auto& [ends, is_flow] : node_edges(graph))
    edges.push_back({{"from", ends.first.index}, {"to", ends.second.index}, {"data", is_flow}});
  const auto work = [](const graph::Work& w) {
    return Json{{"nodes", w.nodes}, {"bytes", w.bytes}, {"flops", w.flops}};
  };
  return {{"status", name(Status::ok)},
          {"kernel", prepared.kernel},
          {"devices", graph.topology.devices},
          {"dead", graph.dead},
          {"edges_inside", m.edges},
          {"messages", m.messages},
          {"message_bytes", m.message_bytes},
          {"depth", m.depth},
          {"data_depth", m.data_depth},
          {"critical", work(m.critical)},
          {"all", work(m.all)},
          {"planning",
           {{"run_seconds", graph.planning.run},
            {"verdict_seconds", graph.planning.verdict},
            {"graph_seconds", graph.planning.graph}}},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)}};
}

std::string graph_dot(const TaskGraph& graph) {
  const Nesting nesting(graph.program);
  std::string text = "digraph tasks {\n  node [shape=box];\n";
  for (int device = 0; device < graph.topology.devices; ++device) {
    text += fmt::format("  subgraph cluster_{} {{\n    label=\"device {}\";\n", device, device);
    for (const NodeId n : graph.nodes.ids()) {
      const Node& node = graph.nodes[n];
      if (graph.device(node) != device) continue;
      const std::string where = place_of(graph, node);
      std::string words = node_name(graph, n);
      for (const std::string& region : regions(graph, nesting, node))
        words += "\\n" + escaped(region);
      text += fmt::format("    n{} [label=\"{}\\n{}\"{}];\n", n.index, words, where,
                          node.copies() ? " shape=ellipse" : "");
    }
    text += "  }\n";
  }
  for (const auto& [ends, is_flow] : node_edges(graph))
    text += fmt::format("  n{} -> n{}{};\n", ends.first.index, ends.second.index,
                        is_flow ? "" : " [style=dashed]");
  return text + "}\n";
}

}  // namespace tessera::cli
