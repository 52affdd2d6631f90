// A task graph planned for GPUs: kernels with subtasks as CTAs, and copies, each with its
// predecessors.
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

// Copy of adjacent bytes from one memory to another. Offsets are in bytes.
struct GraphCopy {
  graph::MemoryId from{}, to{};
  std::int64_t from_offset = 0, to_offset = 0, bytes = 0;
};

// kernel: general code that executes calls. product: a fast kernel.
enum class StepKind : std::uint8_t { kernel, copy, product };

struct GraphStep {
  StepKind kind = StepKind::kernel;
  int device = 0;        // simulated device that runs it
  graph::NodeId node{};  // first of its nodes
  GraphCopy copy{};
  // kernel: index of its first word in the words of the device, number of subtasks, number of CTAs.
  std::int64_t words = 0, subtasks = 0;
  int ctas = 0;
  std::size_t product = 0;            // index into GraphPlan::products
  std::vector<std::size_t> before{};  // predecessors; all are earlier in the plan
};

struct GraphPlan {
  std::shared_ptr<const graph::TaskGraph> graph;
  LoweredKernel kernel;  // for all kernel steps; the caller sets its architecture
  std::vector<ListedProduct> products;
  std::vector<GraphStep> steps;
  std::vector<std::vector<std::int64_t>> words;  // by simulated device
  // Offset of each scratch memory in the scratch area of its device. -1: an operand, a result, or a
  // memory that is private to CTAs.
  Table<graph::MemoryId, std::int64_t> places;
  std::vector<std::int64_t> scratch_bytes;  // by simulated device
  std::int64_t own_bytes = 0;               // private memory per CTA
  std::vector<int> ctas;                    // max per kernel, by simulated device
};

struct GraphPlanOptions {
  std::int64_t smallest = graph::min_subtask_work;  // min work of a subtask
  std::size_t max_steps = 4096;                     // more are joined if possible
  int max_ctas = 264;    // per kernel; CTAs run further subtasks in a loop
  bool has_fast = true;  // true if the machine supports fast kernels
  int threads = 256;     // per CTA: eight warps hide some latency of global memory
};

// Plans the kernels and copies of a graph, and their order. Fails with ErrorCode::unsupported, with
// the place, if an op has no CUDA form.
Expected<GraphPlan> graph_plan(std::shared_ptr<const graph::TaskGraph> graph,
                               const GraphPlanOptions& options = {});

}  // namespace tessera::cuda
