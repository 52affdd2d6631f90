#include "cli/reports/node_check_text.h"

#include <fmt/format.h>

#include "cli/reports/console.h"
#include "text/numbers.h"

namespace tessera::cli {

std::string node_check_text(const graph::NodeCheckReport& report) {
  const graph::Tally& tally = report.tally;
  const bool is_result = report.first && tally.first < 0;
  if (tally.nodes == 0 && !is_result) return "nothing to compare: the program writes no result";
  std::string text = fmt::format("{} of {} compared with the interpreter: {} bit for bit",
                                 tally.compared, counted(tally.nodes, "node", "nodes"),
                                 tally.same == tally.compared ? "all" : fmt::to_string(tally.same));
  if (tally.within > 0)
    text += fmt::format(", {} within the bound of their rounding", tally.within);
  if (tally.unbounded > 0) text += fmt::format(", {} without such a bound", tally.unbounded);
  if (tally.differ > 0) text += fmt::format(", {} not", tally.differ);
  return text + (is_result ? "; results: not" : tally.differ > 0 ? "" : "; and all results");
}

Json node_check_json(const graph::NodeCheckReport& report) {
  const graph::Tally& tally = report.tally;
  return {{"nodes", tally.nodes},
          {"compared", tally.compared},
          {"same", tally.same},
          {"within", tally.within},
          {"unbounded", tally.unbounded},
          {"differ", tally.differ},
          {"first", report.first ? to_json(*report.first) : Json()}};
}

Expected<void> require_node_check(const RunRequest& request, const DeviceReport& report) {
  if (request.node_check == nullptr || request.node_check->runs > 0 || !report.findings.empty())
    return {};
  return error(ErrorCode::unsupported,
               fmt::format("--check-nodes: device {} does not report the output of its nodes",
                           request.device_name()));
}

}  // namespace tessera::cli
