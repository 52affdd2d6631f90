// Report of the comparison of an engine's nodes with the interpreter.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/node_check/tally.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "interp/observe/observer.h"

namespace tessera::graph {

// An observer that makes an engine compare its nodes with the interpreter; collects the outcome of
// all runs.
class NodeCheckReport final : public Observer {
 public:
  // Returns the first report among the observers, or null: the run is not compared. options: may be
  // null.
  static NodeCheckReport* of(const RunOptions* options);

  bool sees_events() const override { return false; }
  void on(const Event&) override {}

  std::int64_t runs = 0;
  Tally tally;                     // sum over the runs
  std::optional<Finding> first{};  // finding of the first run in which a node differs
};

// Adds the tally of a completed run to the report, and its first difference (empty: none) to the
// findings. If there is no difference, but some nodes have no error bound, fails with
// ErrorCode::unsupported and leaves the report unchanged.
Expected<void> take(const Tally& tally, std::optional<Finding> first, NodeCheckReport& report,
                    std::vector<Finding>& findings);

}  // namespace tessera::graph
