// Runs nodes of a task graph on one thread, with the ops of the interpreter and private scratch.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/task_engine/graph_memory.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "interp/machine/machine.h"

namespace tessera::graph {

// Shared by all workers of a graph.
struct WorkerConfig {
  Code code;
  Schedule schedule;
  RunOptions options;
};
// Returns the configuration for workers of a graph. math: `exact`: plain ascending loops, the same
// bits as --math exact; `library`: matrix products by the library. Fails with
// ErrorCode::unsupported if the program is not expanded.
Expected<std::unique_ptr<const WorkerConfig>> worker_config(const TaskGraph& graph, Math math);

// Not thread-safe. Nodes that run concurrently on several workers must have no path between them.
class Worker {
 public:
  // Both must outlive this object.
  Worker(GraphMemory& memories, const WorkerConfig& config);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs a node, including both sides of copies, and does not release its sides. False if an op
  // reported a finding.
  bool run(NodeId node);
  // Runs some actions of a pipeline or a segment, in the node's order. They must write private
  // memory before they read it. False if an op reported a finding; the actions after it do not run.
  bool run(std::span<const ActionId> actions);
  const std::vector<Finding>& findings() const { return machine_.findings(); }
  // Sets a function that is called after each action of a pipeline or a segment without a finding,
  // for work that must not wait until the end of the node.
  void between(std::function<void()> call) { between_ = std::move(call); }

 private:
  Core::Image& image(CoreIndex core);
  const std::shared_ptr<Storage>& storage(MemoryId memory);
  void perform(const Action& action);
  void copy(ActionId id);

  GraphMemory& memories_;
  const TaskGraph& graph_;
  Machine machine_;
  Table<CoreIndex, Core::Image> images_;               // cores that have run an action
  Table<BufferId, std::shared_ptr<Storage>> scratch_;  // private memory, shared by all cores
  Table<MemoryId, std::shared_ptr<Storage>> shared_;   // views of shared memory; elided memory
  std::function<void()> between_;
};

}  // namespace tessera::graph
