#include "analysis/node_check/node_check_report.h"

#include <fmt/format.h>

#include <utility>

namespace tessera::graph {

NodeCheckReport* NodeCheckReport::of(const RunOptions* options) {
  if (options == nullptr) return nullptr;
  for (Observer* observer : options->observers)
    if (auto* const report = dynamic_cast<NodeCheckReport*>(observer)) return report;
  return nullptr;
}

Expected<void> take(const Tally& tally, std::optional<Finding> first, NodeCheckReport& report,
                    std::vector<Finding>& findings) {
  if (tally.unbounded > 0 && !first)
    return error(
        ErrorCode::unsupported,
        fmt::format("--check-nodes: {} of {} nodes wrote other bits than the interpreter, and "
                    "nothing bounds their error: {}; with --math exact bits are compared",
                    tally.unbounded, tally.compared, tally.why));
  ++report.runs;
  report.tally.nodes += tally.nodes;
  report.tally.add(tally);
  if (!first) return {};
  findings.push_back(*first);
  if (!report.first) report.first = std::move(first);
  return {};
}

}  // namespace tessera::graph
