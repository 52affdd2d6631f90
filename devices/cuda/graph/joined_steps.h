// Fewer and larger steps of a task graph on a GPU.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "devices/cuda/graph/call_writer.h"
#include "devices/cuda/graph/graph_plan.h"
#include "devices/cuda/graph/listed_product.h"

namespace tessera::cuda {

// A step before its words are put together.
struct StepDraft {
  int device = 0;
  graph::NodeId node{};
  std::optional<GraphCopy> copy{};       // it is one, of adjacent bytes, ...
  std::vector<SubtaskWords> subtasks{};  // ... which these do as well; or a kernel
  bool uses_own = false;
  // What the subtasks multiply, where all of them do nothing else; and how a fast kernel does it.
  std::vector<TileProduct> products{};
  bool only_multiplies = true;
  std::optional<ListedProduct> listed{};
  std::set<std::size_t> before{};
};

// Where there are more than `most`: those of one device that are as many steps behind the first
// become one kernel, since none of them waits for another. A driver takes time for each node.
void join_steps(std::vector<StepDraft>& steps, std::size_t most);

}  // namespace tessera::cuda
