// One thread's means to run the nodes of a task graph: cores that the ops of the interpreter run
// on, and scratch that nobody else sees.
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

// What all workers of a graph have in common.
struct WorkerConfig {
  Code code;
  Schedule schedule;
  RunOptions options;
};
// math: exact: each product is added by itself, with the bits of --math exact; library: by the
// library.
Expected<std::unique_ptr<const WorkerConfig>> worker_config(const TaskGraph& graph, Math math);

// For one thread at a time. Of the nodes that several workers run at once none has an edge to
// another.
class Worker {
 public:
  // They live longer.
  Worker(GraphMemory& memories, const WorkerConfig& config);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // All of a node, of copies both sides. False where an op has found something wrong, which
  // findings() tells.
  bool run(NodeId node);
  // Some actions of a node that is none of copies, in its order: what they read of private memory
  // they have written.
  bool run(std::span<const ActionId> actions);
  const std::vector<Finding>& findings() const { return machine_.findings(); }
  // Is called after each action of a node: work that cannot wait until all of it is done.
  void between(std::function<void()> call) { between_ = std::move(call); }

 private:
  Core::Image& image(CoreIndex core);
  const std::shared_ptr<Storage>& storage(MemoryId memory);
  void perform(const Action& action);
  void copy(ActionId id);

  GraphMemory& memories_;
  const TaskGraph& graph_;
  Machine machine_;
  Table<CoreIndex, Core::Image> images_;               // of cores that have done something
  Table<BufferId, std::shared_ptr<Storage>> scratch_;  // of private memory, whatever its core
  Table<MemoryId, std::shared_ptr<Storage>> shared_;   // with the bytes of all, or forwarded
  std::function<void()> between_;
};

}  // namespace tessera::graph
