// Compares an engine's run of a task graph with a run of the interpreter. Each rectangle that a
// node writes and others may read is compared by checksum when the node ends, before another node
// may overwrite it.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/node_check/image.h"
#include "analysis/node_check/tally.h"
#include "analysis/task_engine/graph_memory.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "interp/binding.h"
#include "interp/run_options.h"

namespace tessera::running_error {
class ErrorRun;
}

namespace tessera::graph {

// Integers, and floats of exact arithmetic, must have the same bits. If the library multiplies,
// floats must be within the running error bounds of both runs (analysis/running_error/error_run.h).
// on_complete() and compare() are thread-safe; engines with memory of their own pass bytes to
// compare().
class NodeCheck final : public SideObserver {
 public:
  // Runs the interpreter, and returns a node check with the expected output of each side. bindings:
  // for all devices, with the results that compare_results() reads; they and the graph must outlive
  // the result. options: the machine and the arithmetic. sum_error: error of the engine's matrix
  // products beyond rounding to f32, relative to the sum of all |terms|. Fails if the bindings do
  // not fit the program, if rounding has no bound (ErrorCode::unsupported), if the run has other
  // actions than the graph (ErrorCode::runtime), if memory is missing, or on a stop request.
  static Expected<std::unique_ptr<NodeCheck>> make(const TaskGraph& graph,
                                                   const std::vector<Binding>& bindings,
                                                   const RunOptions& options, double sum_error = 0);
  ~NodeCheck();
  NodeCheck(const NodeCheck&) = delete;
  NodeCheck& operator=(const NodeCheck&) = delete;

  // Findings of the interpreter's run; if there are any, nothing can be compared.
  const std::vector<Finding>& findings() const { return findings_; }

  void on_complete(SideId side, GraphMemory& memories) override;
  // Returns the rectangles that a side writes and others may read; compare() requires their
  // contents. Empty if the side has none; it then needs no compare().
  std::vector<Rectangle> rectangles(SideId side) const;
  // Compares the output of a side, which is complete, and counts it in the tally. No effect for a
  // side without rectangles. got: the contents of rectangles(side), each row-major, in their order.
  void compare(SideId side, std::vector<std::vector<std::byte>> got);
  // Compares the bound results after the run, and sets different_result(). Differences without a
  // known error bound do not count. local_devices: true for devices of this process; empty: all.
  // Not thread-safe.
  void compare_results(const std::vector<bool>& local_devices = {});
  // The first result that differs, or none. Requires compare_results().
  MemoryId different_result() const { return different_result_; }

  // Counts of all comparisons so far; Tally::first is the first side that differs.
  Tally tally() const;
  // Returns the finding for the first side that differs here, or for different_result() if no side
  // differs in any process; it names the line that wrote the element. There must be one here; else
  // a CHECK fails. Runs the interpreter again, and fails like make(). all: the tally of all
  // processes.
  Expected<Finding> first_difference(const Tally& all) const;

 private:
  struct Expectation {
    Image image;  // no bytes if all bits must be equal
    std::uint64_t checksum = 0;
  };
  struct Different {
    SideId side{};
    std::vector<std::vector<std::byte>> got;
  };

  NodeCheck(const TaskGraph& graph, const std::vector<Binding>& bindings, const RunOptions& options,
            double sum_error);
  Expected<void> prepare();
  // Null for Math::exact: all bits must be equal.
  std::unique_ptr<running_error::ErrorRun> error_run() const;
  std::vector<std::byte> result_bytes(const Rectangle& at) const;
  Expected<Finding> first_different_result(const Tally& all) const;
  // Sets Tally::why. Requires mutex_.
  void tell_unbounded(SideId side, const std::vector<std::vector<std::byte>>& got);
  Likeness likeness_of(const Expectation& expected, const std::vector<std::byte>& got) const;

  const TaskGraph& graph_;
  const std::vector<Binding>& bindings_;
  const RunOptions options_;
  const double sum_error_;
  std::vector<Finding> findings_;
  Table<SideId, std::vector<Expectation>> expected_;
  std::vector<Expectation> results_;
  MemoryId different_result_{};
  std::unique_ptr<const running_error::ErrorRun> errors_;  // reasons for missing bounds
  mutable std::mutex mutex_;                               // guards the members below
  Tally tally_;
  SideId unbounded_{};                  // the first one; the tally has the reason
  std::optional<Different> different_;  // the first that differs
};

// For tests: calls `fault` for each side before its comparison by on_complete(), in all node checks
// of this process, one call at a time. Null: no calls.
void plant_fault(std::function<void(const TaskGraph&, SideId, GraphMemory&)> fault);

}  // namespace tessera::graph
