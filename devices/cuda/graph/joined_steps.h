// Merges steps of a task graph on a GPU into fewer, larger steps.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "devices/cuda/graph/call_writer.h"
#include "devices/cuda/graph/graph_plan.h"
#include "devices/cuda/graph/listed_product.h"

namespace tessera::cuda {

// A step before its words are laid out.
struct StepDraft {
  int device = 0;
  graph::NodeId node{};
  std::optional<GraphCopy> copy{};       // set if the step is a copy of adjacent bytes
  std::vector<SubtaskWords> subtasks{};  // work of the kernel, also set for a copy
  bool uses_own = false;                 // uses private CTA memory
  // Products of the subtasks, if the subtasks compute nothing else; and the fast kernel for them,
  // if there is one.
  std::vector<TileProduct> products{};
  bool only_multiplies = true;
  std::optional<ListedProduct> listed{};
  std::set<std::size_t> before{};  // indices of predecessors, all smaller than its own
};

// If there are more than `most` steps, merges the steps of each device that have the same depth in
// the graph into one kernel, even if more than `most` remain. Such steps do not depend on each
// other. Saves driver time per node. Steps must follow their predecessors, also in the result. They
// must not have fast kernels yet: merged steps have none.
void join_steps(std::vector<StepDraft>& steps, std::size_t most);

}  // namespace tessera::cuda
