// Programs that are not a single kernel, on GPUs. The host reads the control inputs, plans a task
// graph for them and runs it as a CUDA graph.
#pragma once
#include <memory>
#include <string>

#include "devices/device.h"

namespace tessera::cuda {

// Returns an executable that plans and compiles at its first run, and again for other control
// inputs. why_graph: reason why the program is not a single kernel, for reports.
std::unique_ptr<Executable> make_graph_program(const Program& structured,
                                               const std::string& why_graph);

// True if a program may run as a graph: fast kernels are not required, and there are no hints or
// they may be ignored. Hints only apply to single kernels.
inline bool takes_graph(const PrepareOptions& how) {
  return !how.require_fast && (how.may_ignore_hints || how.hints == MachineHints{});
}
// Returns ok if the program can be planned and each op has a CUDA form in a graph. `reason` names
// the operands that the host must read, or the obstacle.
Support can_plan(const Program& structured);

}  // namespace tessera::cuda
