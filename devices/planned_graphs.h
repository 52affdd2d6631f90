// The task graphs of one program, for the engines that run them: each is planned for its control
// inputs, and kept.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/certificate/points/judged_points.h"
#include "analysis/task_graph/graph_cache.h"
#include "devices/device.h"
#include "interp/run_options.h"

namespace tessera {

class PlannedGraphs {
 public:
  // What only shows how a run goes is left out.
  explicit PlannedGraphs(const Program& structured);

  // The graph of a call with these operands, which fit the program, or why there is none.
  Expected<std::shared_ptr<const graph::TaskGraph>> of(const std::vector<DeviceBinding>& bindings,
                                                       const RunOptions& options);
  // The operands that decide what is done.
  Expected<std::vector<std::string>> control_inputs();

 private:
  Expected<void> prepare();

  const Program structured_;
  std::mutex mutex_;  // of what follows
  std::optional<Program> expanded_;
  std::optional<graph::ProgramGraphs> graphs_;
  JudgedPoints points_;
};

// The machine that a program is planned for, of the options of its run; nothing of how a simulation
// of it would be watched.
Expected<RunOptions> planning_options(const DeviceOptions& given, std::size_t devices);

}  // namespace tessera
