// What an engine's run of a task graph leaves, held against the interpreter's own run: a checksum
// of each rectangle that a node writes where others may see it, taken when the node is done and
// before anybody may change it.
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

// Integers, and floats of exact arithmetic, are to have the same bits. Where the library
// multiplies, floats are to lie within the running error bound (analysis/running_error/error_run.h)
// of both runs. Several threads may tell of sides at once; an engine that keeps its memory
// elsewhere tells of the bytes themselves.
class NodeCheck final : public SideObserver {
 public:
  // Runs the interpreter, with operands of all devices; they and the graph live longer. options: of
  // the machine and the arithmetic; sum_error: of the engine's products of matrices, beyond what
  // rounding to f32 loses, relative to the sum of all |terms|. Errors: rounding that nothing
  // bounds, memory, a stop.
  static Expected<std::unique_ptr<NodeCheck>> make(const TaskGraph& graph,
                                                   const std::vector<Binding>& bindings,
                                                   const RunOptions& options, double sum_error = 0);
  ~NodeCheck();
  NodeCheck(const NodeCheck&) = delete;
  NodeCheck& operator=(const NodeCheck&) = delete;

  // What the interpreter's run found wrong: there is nothing to compare with.
  const std::vector<Finding>& findings() const { return findings_; }

  void on_complete(SideId side, GraphMemory& memories) override;
  // The rectangles that a side writes and others may see; what it has left there, each row-major,
  // in their order.
  std::vector<Rectangle> rectangles(SideId side) const;
  void compare(SideId side, std::vector<std::vector<std::byte>> got);
  // Compares the results in the operands, after the run. held: by device, the ones of this process;
  // empty: all.
  void compare_results(const std::vector<bool>& held = {});
  // The first result that differs; none: none does. Requires compare_results().
  MemoryId different_result() const { return different_result_; }

  // Of all that was told so far. first: of the sides that differ.
  Tally tally() const;
  // The finding for the first side that differs here, or for different_result() if no side differs
  // in any process; it names the line that wrote the element. Runs the interpreter again.
  // all: the tally of all processes.
  Expected<Finding> first_difference(const Tally& all) const;

 private:
  struct Expectation {
    Image image;  // without bytes where nothing may differ
    std::uint64_t checksum = 0;
  };
  struct Different {
    SideId side{};
    std::vector<std::vector<std::byte>> got;
  };

  NodeCheck(const TaskGraph& graph, const std::vector<Binding>& bindings, const RunOptions& options,
            double sum_error);
  Expected<void> prepare();
  std::unique_ptr<running_error::ErrorRun> error_run() const;
  std::vector<std::byte> result_bytes(const Rectangle& at) const;
  Expected<Finding> first_different_result(const Tally& all) const;
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
  std::unique_ptr<const running_error::ErrorRun> errors_;  // knows why bounds are not known
  mutable std::mutex mutex_;                               // of what follows
  Tally tally_;
  SideId unbounded_{};                  // the first, of which the tally says why
  std::optional<Different> different_;  // the first of those that differ
};

// For tests, of all node checks of this process from now on: is called for each side that is done,
// before it is compared, as if the engine had done that. Null: nothing is called.
void plant_fault(std::function<void(const TaskGraph&, SideId, GraphMemory&)> fault);

}  // namespace tessera::graph
