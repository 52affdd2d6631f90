// The comparison of an engine's nodes with the interpreter, as a report shows it.
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
  // The report among the observers; null: the run is not compared.
  static NodeCheckReport* of(const RunOptions* options);

  bool sees_events() const override { return false; }
  void on(const Event&) override {}

  std::int64_t runs = 0;
  Tally tally;                     // sum over the runs
  std::optional<Finding> first{};  // of the first run in which a node differs
};

// A run with this tally is over: the report has it, and its first difference is a finding of the
// run. An error where it is not known whether what nodes wrote is right.
Expected<void> take(const Tally& tally, std::optional<Finding> first, NodeCheckReport& report,
                    std::vector<Finding>& findings);

}  // namespace tessera::graph
