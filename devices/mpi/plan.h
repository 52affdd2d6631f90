// Derives the task graph of a program in each of several processes, with equal results.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/certificate/points/judged_points.h"
#include "analysis/task_graph/task_graph.h"
#include "devices/mpi/shares.h"
#include "devices/mpi/world.h"
#include "interp/binding.h"
#include "interp/machine/control_flow.h"
#include "interp/run_options.h"

namespace tessera::mpi {

// Operands for planning: the process's own operands, and the control inputs of all devices. Other
// operands, and results, have elements that are never read.
class ControlInputs {
 public:
  // Exchanges the control inputs of all processes, which must all call it. control: control flow of
  // the program. what: program_text() and planning_text(), on one line. of_all: by device; ignored
  // for devices of other processes; for the process's own devices, all inputs must be bound and
  // have the right size. Fails with ErrorCode::environment in all processes alike if they run
  // different programs or one has ended.
  static Expected<std::unique_ptr<ControlInputs>> gather(World& world, const Shares& shares,
                                                         const Program& expanded,
                                                         const ControlFlow& control,
                                                         const std::string& what,
                                                         const std::vector<Binding>& of_all);
  // By device. Refers to this object, to the operands in `of_all` and to `expanded`.
  const std::vector<Binding>& bindings() const { return bindings_; }
  // Hash of the texts, the number of devices and all control inputs; equal in all processes.
  std::uint64_t hash() const { return hash_; }

 private:
  std::vector<Binding> bindings_;
  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::uint64_t hash_ = 0;
};

// Return one-line texts that identify a program, and the options for planning it.
std::string program_text(const Program& expanded);
std::string planning_text(const RunOptions& run);

// Returns a hash of a complete graph, folded or not.
std::uint64_t graph_hash(const graph::TaskGraph& graph);

// Returns the folded graph of the program; all processes must call it. points: must be of the
// program from which `expanded` was created. Fails in all processes alike: like
// graph::folded_task_graph(), and with ErrorCode::environment if their graphs differ.
Expected<graph::TaskGraph> agreed_graph(World& world, const Program& expanded, JudgedPoints& points,
                                        const ControlInputs& inputs, const RunOptions& run);

// Unfolds a graph for one process. Data that only other processes need is removed, except the
// memories and the order of the nodes. Fails like graph::unfold().
Expected<void> keep_own(graph::TaskGraph& graph, const Shares& shares, int process);

}  // namespace tessera::mpi
