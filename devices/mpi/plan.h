// The task graph of a program, derived in each of several processes alike.
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

// What there is of a process's operands, and of those that decide what is done all; the others and
// the results have elements that nobody looks at.
class ControlInputs {
 public:
  // control: of the program. what: the program and how it is planned, in words. of_all: by device;
  // of those that others hold they are not looked at. An error, the same in each process, where
  // they run other programs.
  static Expected<std::unique_ptr<ControlInputs>> gather(World& world, const Shares& shares,
                                                         const Program& expanded,
                                                         const ControlFlow& control,
                                                         const std::string& what,
                                                         const std::vector<Binding>& of_all);
  // By device. They point into this object, and to the operands of `of_all`.
  const std::vector<Binding>& bindings() const { return bindings_; }
  std::uint64_t hash() const { return hash_; }

 private:
  std::vector<Binding> bindings_;
  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::uint64_t hash_ = 0;
};

// What tells one program from another, and one way to plan it.
std::string program_text(const Program& expanded);
std::string planning_text(const RunOptions& run);

// All of a graph, as a number.
std::uint64_t graph_hash(const graph::TaskGraph& graph);

// A folded one; an error, the same in each process, where they have different ones.
Expected<graph::TaskGraph> agreed_graph(World& world, const Program& expanded, JudgedPoints& points,
                                        const ControlInputs& inputs, const RunOptions& run);

// Of a folded graph all that the process itself does; what others do is forgotten, but for the
// memories and the order of it.
Expected<void> keep_own(graph::TaskGraph& graph, const Shares& shares, int process);

}  // namespace tessera::mpi
