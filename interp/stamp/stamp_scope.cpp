#include "interp/stamp/stamp_scope.h"

#include <fmt/format.h>

#include <utility>

namespace tessera::graph {
namespace {

thread_local StampReport* innermost = nullptr;

}  // namespace

Expected<void> take(const Tally& tally, std::optional<Finding> first, StampReport& report,
                    std::vector<Finding>& findings) {
  if (tally.unbounded > 0 && !first)
    return error(
        ErrorCode::unsupported,
        fmt::format("--stamp: {} of {} nodes left other bits than the interpreter does, and "
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

StampScope::StampScope(StampReport& report) : outer_(std::exchange(innermost, &report)) {}

StampScope::~StampScope() { innermost = outer_; }

StampReport* StampScope::current() { return innermost; }

}  // namespace tessera::graph
