#include "analysis/certificate/races/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "core/report/source_words.h"

namespace tessera {
namespace {

constexpr std::string_view function_name = "neighbour_barrier";

// The statements of one call that signal the neighbours.
struct Signals {
  StmtId left, right;
};

// Returns the first two signals of each call, by place of the call. They are left and right.
std::map<PlaceId, Signals> calls_of(const Program& program) {
  std::map<PlaceId, Signals> calls;
  for (const StmtId s : program.body.ids()) {
    if (!std::holds_alternative<Signal>(program.body[s].op)) continue;
    const PlaceId place = program.place_of(s);
    const PlaceId call = place ? program.places[place].caller : PlaceId();
    if (!call || !source_words(program.loc(call), 200).starts_with(function_name)) continue;
    Signals& signals = calls[call];
    if (!signals.left)
      signals.left = s;
    else if (!signals.right)
      signals.right = s;
  }
  return calls;
}

// Returns the target device of the first signal at the statement, by device.
std::map<int, int> targets(const Record& record, StmtId statement) {
  std::map<int, int> reached;
  for (const RecordedAgentId core : record.core_ids())
    for (const EventId e : record.agents[core].events()) {
      const RecordedEvent& event = record.events[e];
      if (event.statement != statement || event.act != Act::signal) continue;
      const int target = record.topology.device(record.cells[event.cell()].core);
      reached.emplace(record.agents[core].id.device, target);
      break;
    }
  return reached;
}

// Text such as "dev1's right is dev3, and dev3's left is dev2"; empty if the neighbours match.
std::string mismatch(const Record& record, const Signals& signals) {
  const std::map<int, int> left = targets(record, signals.left),
                           right = targets(record, signals.right);
  for (const auto& [device, its_right] : right) {
    const auto back = left.find(its_right);
    if (back == left.end() || back->second == device) continue;
    return fmt::format("dev{0}'s right is dev{1}, and dev{1}'s left is dev{2}, expected dev{0}",
                       device, its_right, back->second);
  }
  return {};
}

}  // namespace

void explain_neighbours(const Record& record, std::vector<Finding>& findings) {
  const auto is_of_order = [](const Finding& finding) {
    return finding.kind == FindingKind::race || finding.kind == FindingKind::deadlock;
  };
  const auto finding = std::find_if(findings.begin(), findings.end(), is_of_order);
  if (finding == findings.end()) return;
  for (const auto& [call, signals] : calls_of(*record.program)) {
    if (!signals.right) continue;
    const std::string what = mismatch(record, signals);
    if (what.empty()) continue;
    finding->notes.push_back(
        {.loc = record.program->loc(call),
         .message = fmt::format("the neighbours of this barrier do not match: {}", what)});
    return;
  }
}

}  // namespace tessera
