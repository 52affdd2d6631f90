// A task graph as what a GPU runs: kernels whose CTAs do subtasks of nodes, and copies, each behind
// those that have to be done before.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/task_engine/tasks.h"
#include "analysis/task_graph/task_graph.h"
#include "core/report/expected.h"
#include "devices/cuda/graph/listed_product.h"
#include "devices/cuda/lower/lower.h"

namespace tessera::cuda {

// Bytes from one memory to another.
struct GraphCopy {
  graph::MemoryId from{}, to{};
  std::int64_t from_offset = 0, to_offset = 0, bytes = 0;
};

// kernel: subtasks as calls, in general code. product: a fast kernel.
enum class StepKind : std::uint8_t { kernel, copy, product };

struct GraphStep {
  StepKind kind = StepKind::kernel;
  int device = 0;        // that does it: the simulated one
  graph::NodeId node{};  // the first that it is of
  GraphCopy copy{};
  // kernel: where its words begin among those of the device, how many subtasks they have, and CTAs.
  std::int64_t words = 0, subtasks = 0;
  int ctas = 0;
  std::size_t product = 0;            // among the plan's
  std::vector<std::size_t> before{};  // steps, all of which stand in front of it
};

struct GraphPlan {
  std::shared_ptr<const graph::TaskGraph> graph;
  LoweredKernel kernel;  // of all kernel steps
  std::vector<ListedProduct> products;
  std::vector<GraphStep> steps;
  std::vector<std::vector<std::int64_t>> words;  // by simulated device
  // Where memory of the program's own lies in that of its device; operands and results have -1.
  Table<graph::MemoryId, std::int64_t> places;
  std::vector<std::int64_t> scratch_bytes;  // by simulated device
  std::int64_t own_bytes = 0;               // of each CTA
  std::vector<int> ctas;                    // at most, by simulated device
};

struct GraphPlanOptions {
  std::int64_t smallest = graph::min_subtask_work;  // work of a subtask
  std::size_t max_steps = 4096;                     // more are joined where the graph allows it
  int max_ctas = 264;                               // of a kernel; others of its subtasks wait
  bool has_fast = true;                             // the machine has fast kernels
  int threads = 256;  // of a CTA: eight warps hide some of the latency of global memory
};

// ErrorCode::unsupported, with the place, for an op that has no CUDA form.
Expected<GraphPlan> graph_plan(std::shared_ptr<const graph::TaskGraph> graph,
                               const GraphPlanOptions& options = {});

}  // namespace tessera::cuda
