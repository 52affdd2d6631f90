// Programs that are no one kernel, on GPUs: planned for their control inputs, which the host reads,
// and run as a CUDA graph.
#pragma once
#include <memory>
#include <string>

#include "devices/device.h"

namespace tessera::cuda {

// why_graph: why the program is no one kernel, for reports.
std::unique_ptr<Executable> make_graph_program(const Program& structured,
                                               const std::string& why_graph);

// Hints are of single kernels, and a graph's are not the fast ones.
inline bool takes_graph(const PrepareOptions& how) {
  return !how.require_fast && (how.may_ignore_hints || how.hints == MachineHints{});
}
// Whether every op of the program has a CUDA form in a graph, and it can be planned; the remark
// says what the host has to read for that.
Support can_plan(const Program& structured);

}  // namespace tessera::cuda
